import type { Clock } from "@quarry/base";
import type { Database } from "@quarry/store";

/** What the routes about keys and sessions need. */
export interface IdentityDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Called after every change to a key or session, so that no stale answer is given. */
  readonly forgetCredentials: () => void;
}
