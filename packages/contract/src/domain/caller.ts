import type { Scope } from "./scope.ts";

/** Who makes a call, known once its key or session was checked. */
export interface Caller {
  readonly teamId: string;
  /** The key that was shown, or that the session stands for; null where none was needed. */
  readonly keyId: string | null;
  /** The key's name, for people. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** How the caller proved itself: a key in a header, a browser session, or nothing (`QUARRY_AUTH=none`). */
  readonly via: "key" | "session" | "none";
}
