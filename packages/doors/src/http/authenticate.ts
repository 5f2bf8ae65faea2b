import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@quarry/base";
import { hasScope, type Caller } from "@quarry/contract";
import type { Credential } from "@quarry/store";
import type { CredentialCache } from "./credential-cache.ts";
import type { OriginKind } from "./guard-origin.ts";
import type { Access } from "./route.ts";
import { readSessionToken } from "./session-cookie.ts";

/** Whether callers need a key. With `none` every request is a caller of `teamId` with every scope. */
export type AuthMode = { readonly mode: "key" } | { readonly mode: "none"; readonly teamId: string };

/** Where secrets are looked up. */
export interface CredentialCaches {
  readonly keys: CredentialCache;
  readonly sessions: CredentialCache;
}

/** A caller, with what the meter and the reply's seal need of the credential. */
export interface Authenticated {
  readonly caller: Caller;
  readonly credential: Credential | undefined;
  /** What was shown; empty where nothing was asked for. */
  readonly secret: string;
}

/** What the check looks at. */
export interface AuthFacts {
  readonly headers: IncomingHttpHeaders;
  readonly isSafe: boolean;
  readonly originKind: OriginKind;
}

/**
 * Finds out who calls: by the Bearer key, else x-api-key, else the browser's
 * session. Undefined when nothing was shown. Throws `unauthenticated` for a wrong
 * key, and `forbidden` for a change asked by a session from elsewhere than our page.
 */
export async function authenticate(
  auth: AuthMode,
  caches: CredentialCaches,
  facts: AuthFacts,
): Promise<Authenticated | undefined> {
  if (auth.mode === "none") {
    const caller: Caller = { teamId: auth.teamId, keyId: null, name: "no key needed", scopes: ["all"], via: "none" };
    return { caller, credential: undefined, secret: "" };
  }
  const key = readKey(facts.headers);
  if (key !== undefined) {
    const credential = await caches.keys.get(key);
    if (credential === undefined) throw wrongKey("the API key is unknown, expired or revoked");
    return toAuthenticated(credential, key, "key");
  }
  const token = readSessionToken(facts.headers.cookie);
  const credential = token === undefined ? undefined : await caches.sessions.get(token);
  if (token === undefined || credential === undefined) return undefined;
  if (!facts.isSafe && facts.originKind !== "same") {
    throw new AppError("forbidden", "a browser session may change things only from this server's own pages", {
      details: { tag: "ORIGIN_NOT_ALLOWED" },
    });
  }
  return toAuthenticated(credential, token, "session");
}

/** Throws unless the caller may use a route with this access. */
export function requireAccess(access: Access, caller: Caller | undefined): void {
  if (access === "open") return;
  if (caller === undefined) throw wrongKey("no API key was sent");
  if (access === "any" || hasScope(caller.scopes, access)) return;
  throw new AppError("forbidden", `this key lacks the scope "${access}"; use a key that has it`, {
    details: { tag: "INSUFFICIENT_SCOPE" },
  });
}

/** The key a request shows; Bearer counts first, because some clients send an empty or stale x-api-key beside it. */
function readKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
  const header = headers["x-api-key"];
  const apiKey = (Array.isArray(header) ? header[0] : header)?.trim();
  return bearer ?? (apiKey === "" ? undefined : apiKey);
}

function toAuthenticated(credential: Credential, secret: string, via: "key" | "session"): Authenticated {
  const { key, teamId } = credential;
  const caller: Caller = {
    teamId,
    keyId: key?.id ?? null,
    name: key?.name ?? "console",
    scopes: key?.scopes ?? ["all"],
    via,
  };
  return { caller, credential, secret };
}

function wrongKey(what: string): AppError {
  return new AppError(
    "unauthenticated",
    `${what}; send a valid one as "x-api-key: <key>" or "Authorization: Bearer <key>"`,
  );
}
