import type { Database, Queryable } from "../database.ts";
import { hashSecret, makeSecret } from "./secret.ts";

/** How long a one-time link can be used. */
export const SIGN_IN_LINK_LIFETIME_MS = 15 * 60_000;
/** How long a browser stays signed in. */
export const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;

/** A secret that ends by itself. */
export interface ExpiringToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Whose rights a session has: a key's, as long as that key works, or without one every right of the team. */
export interface SessionOwner {
  readonly teamId: string;
  readonly keyId: string | null;
  /** When what it was opened with ends, such as the old secret of a rotated key: the session does then, too. */
  readonly until?: Date | null | undefined;
}

/**
 * Makes the token of a link that opens one session. Links of a key do not tell which of its secrets they were made with: while
 * an old one has its grace, they end with it, and so do the sessions they open.
 */
export async function createSignInLink(db: Queryable, owner: SessionOwner, now: Date): Promise<ExpiringToken> {
  const token = makeSecret("link");
  const expiresAt = notAfter(await endOfGrace(db, owner.keyId, now), now.getTime() + SIGN_IN_LINK_LIFETIME_MS);
  await db.query(
    "INSERT INTO sign_in_links (token_hash, team_id, key_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
    [hashSecret(token), owner.teamId, owner.keyId, now, expiresAt],
  );
  return { token, expiresAt };
}

/**
 * Trades a link's token for a session, once: of two that try at the same time one
 * gets it. Undefined when the link was used, has expired, or never was.
 */
export function redeemSignInLink(db: Database, token: string, now: Date): Promise<ExpiringToken | undefined> {
  return db.transaction(async (tx) => {
    const [link] = await tx.query<{ team_id: string; key_id: string | null }>(
      `UPDATE sign_in_links SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2
       RETURNING team_id, key_id`,
      [hashSecret(token), now],
    );
    if (link === undefined) return undefined;
    const until = await endOfGrace(tx, link.key_id, now);
    return createSession(tx, { teamId: link.team_id, keyId: link.key_id, until }, now);
  });
}

/** Opens a session, and sweeps what has expired. */
export async function createSession(db: Queryable, owner: SessionOwner, now: Date): Promise<ExpiringToken> {
  const token = makeSecret("session");
  const expiresAt = notAfter(owner.until, now.getTime() + SESSION_LIFETIME_MS);
  await db.query("DELETE FROM sessions WHERE expires_at <= $1", [now]);
  await db.query("DELETE FROM sign_in_links WHERE expires_at <= $1", [now]);
  await db.query(
    "INSERT INTO sessions (token_hash, team_id, key_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
    [hashSecret(token), owner.teamId, owner.keyId, now, expiresAt],
  );
  return { token, expiresAt };
}

/** Ends a session; one that is not there is ended already. */
export async function endSession(db: Queryable, token: string): Promise<void> {
  await db.query("DELETE FROM sessions WHERE token_hash = $1", [hashSecret(token)]);
}

async function endOfGrace(db: Queryable, keyId: string | null, now: Date): Promise<Date | undefined> {
  const [key] = await db.query<{ end: Date }>(
    "SELECT previous_secret_expires_at AS end FROM api_keys WHERE id = $1 AND previous_secret_expires_at > $2",
    [keyId, now],
  );
  return key?.end;
}

function notAfter(end: Date | null | undefined, time: number): Date {
  return new Date(end == null ? time : Math.min(end.getTime(), time));
}
