import { AppError, makeId, toPage, type Page } from "@quarry/base";
import { hasScope, type Scope } from "@quarry/contract";
import type { Database, Queryable, Transaction } from "../database.ts";
import { appendEvent } from "../events.ts";
import { API_KEY_COLUMNS, statusOfKey, toApiKey, type ApiKey, type ApiKeyRow } from "./api-key.ts";
import { hashSecret, hintOf, makeSecret } from "./secret.ts";

/** What a new key is made of. */
export interface NewKey {
  /** Given by callers that may try again: the same id a second time renews the secret nobody received. */
  readonly id?: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Date | undefined;
  readonly budgetDollars?: number | undefined;
  readonly rateLimitPerSecond?: number | undefined;
}

/** What may change in a key; undefined stays, null takes a limit away. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly expiresAt?: Date | null | undefined;
  readonly budgetDollars?: number | null | undefined;
  readonly rateLimitPerSecond?: number | null | undefined;
}

/** A key together with its secret, which exists nowhere else. */
export interface KeyAndSecret {
  readonly key: ApiKey;
  readonly secret: string;
}

/** Makes a key for a team. */
export function createKey(db: Database, teamId: string, wanted: NewKey, now: Date): Promise<KeyAndSecret> {
  return db.transaction((tx) => insertKey(tx, teamId, wanted, now));
}

/** As `createKey`, in a transaction under way. */
export async function insertKey(tx: Transaction, teamId: string, wanted: NewKey, now: Date): Promise<KeyAndSecret> {
  const secret = makeSecret("qry");
  const [row] = await tx.query<ApiKeyRow>(
    `INSERT INTO api_keys AS key (id, team_id, name, origin, secret_hash, hint, scopes, expires_at,
       budget_dollars, rate_limit_per_second, created_at, updated_at)
     VALUES ($1, $2, $3, 'api', $4, $5, $6, $7, $8, $9, $10, $10)
     ON CONFLICT (id) DO UPDATE SET secret_hash = excluded.secret_hash, hint = excluded.hint
       WHERE key.team_id = excluded.team_id
     RETURNING ${API_KEY_COLUMNS}`,
    [
      wanted.id ?? makeId("apikey", now),
      teamId,
      wanted.name,
      hashSecret(secret),
      hintOf(secret),
      wanted.scopes,
      wanted.expiresAt ?? null,
      wanted.budgetDollars ?? null,
      wanted.rateLimitPerSecond ?? null,
      now,
    ],
  );
  return { key: await tell(tx, "api_key.created", row, now), secret };
}

/** The team's keys, newest first, revoked ones too; `before` is the id the page before ended on. */
export async function listKeys(
  db: Queryable,
  teamId: string,
  page: { readonly before?: string | undefined; readonly limit: number },
): Promise<Page<ApiKey>> {
  const rows = await db.query<ApiKeyRow>(
    `SELECT ${API_KEY_COLUMNS} FROM api_keys AS key
     WHERE key.team_id = $1 AND ($2::text IS NULL OR key.id < $2) ORDER BY key.id DESC LIMIT $3`,
    [teamId, page.before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toApiKey), page.limit, (key) => [key.id]);
}

/** One key of the team; throws `not_found`, also for another team's. */
export async function getKey(db: Queryable, teamId: string, id: string): Promise<ApiKey> {
  const [row] = await db.query<ApiKeyRow>(
    `SELECT ${API_KEY_COLUMNS} FROM api_keys AS key WHERE key.team_id = $1 AND key.id = $2`,
    [teamId, id],
  );
  return toApiKey(found(row));
}

/**
 * Changes a key; throws `not_found`, and `conflict` for a revoked one, or when no key
 * of the team could manage keys then.
 */
export function updateKey(db: Database, teamId: string, id: string, change: KeyChange, now: Date): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    await lockKeysOf(tx, teamId);
    const before = await requireUnrevoked(tx, teamId, id);
    const [row] = await tx.query<ApiKeyRow>(
      `UPDATE api_keys AS key SET
         name = coalesce($3, key.name),
         scopes = coalesce($4, key.scopes),
         expires_at = CASE WHEN $5 THEN $6 ELSE key.expires_at END,
         budget_dollars = CASE WHEN $7 THEN $8 ELSE key.budget_dollars END,
         rate_limit_per_second = CASE WHEN $9 THEN $10 ELSE key.rate_limit_per_second END,
         updated_at = $11
       WHERE key.team_id = $1 AND key.id = $2
       RETURNING ${API_KEY_COLUMNS}`,
      [
        teamId,
        id,
        change.name ?? null,
        change.scopes ?? null,
        change.expiresAt !== undefined,
        change.expiresAt ?? null,
        change.budgetDollars !== undefined,
        change.budgetDollars ?? null,
        change.rateLimitPerSecond !== undefined,
        change.rateLimitPerSecond ?? null,
        now,
      ],
    );
    const after = await tell(tx, "api_key.updated", row, now);
    if (canManageKeys(before, now) && !canManageKeys(after, now)) {
      await requireOtherManager(tx, after, { now, advice: "make another one first" });
    }
    return after;
  });
}

/**
 * Gives a key a new secret. The old one works `graceMs` longer; a still older one
 * ends now, and so do the sessions opened with the key. Throws `not_found`, and
 * `conflict` for a revoked key.
 */
export function rotateKey(
  db: Database,
  teamId: string,
  id: string,
  options: { readonly graceMs: number; readonly now: Date },
): Promise<KeyAndSecret> {
  const { graceMs, now } = options;
  const secret = makeSecret("qry");
  const oldEndsAt = graceMs === 0 ? null : new Date(now.getTime() + graceMs);
  return db.transaction(async (tx) => {
    await requireUnrevoked(tx, teamId, id);
    const [row] = await tx.query<ApiKeyRow>(
      `UPDATE api_keys AS key SET
         secret_hash = $3, hint = $4, updated_at = $6,
         previous_secret_hash = CASE WHEN $5::timestamptz IS NULL THEN NULL ELSE key.secret_hash END,
         previous_secret_expires_at = $5
       WHERE key.team_id = $1 AND key.id = $2
       RETURNING ${API_KEY_COLUMNS}`,
      [teamId, id, hashSecret(secret), hintOf(secret), oldEndsAt, now],
    );
    await endSessionsOfKey(tx, id);
    return { key: await tell(tx, "api_key.rotated", row, now), secret };
  });
}

/**
 * Ends the grace of the secret before the last rotation, and the sessions opened with the key: none says which secret
 * opened it. Throws `not_found`.
 */
export function revokePreviousSecret(db: Database, teamId: string, id: string, now: Date): Promise<ApiKey> {
  return db.transaction(async (tx) => {
    const before = await getKey(tx, teamId, id);
    const [row] = await tx.query<ApiKeyRow>(
      `UPDATE api_keys AS key SET previous_secret_hash = NULL, previous_secret_expires_at = NULL, updated_at = $3
       WHERE key.team_id = $1 AND key.id = $2 RETURNING ${API_KEY_COLUMNS}`,
      [teamId, id, now],
    );
    if (before.previousSecretExpiresAt !== null) await endSessionsOfKey(tx, id);
    return tell(tx, "api_key.updated", row, now);
  });
}

/**
 * Ends a key for good, and the sessions that stand on it; a second time changes
 * nothing. Throws `not_found`, and `conflict` when no other key of the team could
 * manage keys then, unless `evenIfLast`.
 */
export function revokeKey(
  db: Database,
  teamId: string,
  id: string,
  options: { readonly now: Date; readonly evenIfLast: boolean },
): Promise<ApiKey> {
  const { now, evenIfLast } = options;
  return db.transaction(async (tx) => {
    await lockKeysOf(tx, teamId);
    const before = await getKey(tx, teamId, id);
    if (before.revokedAt !== null) return before;
    if (!evenIfLast && managesKeys(before)) {
      const advice = "make another one first, or revoke it with force=true";
      await requireOtherManager(tx, before, { now, advice });
    }
    const [row] = await tx.query<ApiKeyRow>(
      `UPDATE api_keys AS key SET
         revoked_at = $3, updated_at = $3, previous_secret_hash = NULL, previous_secret_expires_at = NULL
       WHERE key.team_id = $1 AND key.id = $2 RETURNING ${API_KEY_COLUMNS}`,
      [teamId, id, now],
    );
    await endSessionsOfKey(tx, id);
    return tell(tx, "api_key.revoked", row, now);
  });
}

/** Ends what browsers hold of a key: sessions, and links not used yet. */
export async function endSessionsOfKey(tx: Transaction, keyId: string): Promise<void> {
  await tx.query("DELETE FROM sessions WHERE key_id = $1", [keyId]);
  await tx.query("DELETE FROM sign_in_links WHERE key_id = $1", [keyId]);
}

function managesKeys(key: ApiKey): boolean {
  return hasScope(key.scopes, "admin");
}

function canManageKeys(key: ApiKey, now: Date): boolean {
  return managesKeys(key) && statusOfKey(key, now) === "active";
}

/** Of two that take a manager away, the second looks when the first is done. */
async function lockKeysOf(tx: Transaction, teamId: string): Promise<void> {
  await tx.query("SELECT 1 FROM teams WHERE id = $1 FOR UPDATE", [teamId]);
}

/** Keys that servers keep for themselves do not count: nobody has seen their secrets. */
async function requireOtherManager(
  tx: Transaction,
  { teamId, id }: Pick<ApiKey, "teamId" | "id">,
  { now, advice }: { readonly now: Date; readonly advice: string },
): Promise<void> {
  const rows = await tx.query<ApiKeyRow>(
    `SELECT ${API_KEY_COLUMNS} FROM api_keys AS key
     WHERE key.team_id = $1 AND key.id <> $2 AND key.origin <> 'local' AND key.revoked_at IS NULL`,
    [teamId, id],
  );
  if (rows.map(toApiKey).some((key) => canManageKeys(key, now))) return;
  throw new AppError("conflict", `this is the team's last working key that can manage keys; ${advice}`, {
    details: { tag: "LAST_ADMIN_KEY" },
  });
}

async function requireUnrevoked(tx: Transaction, teamId: string, id: string): Promise<ApiKey> {
  const key = await getKey(tx, teamId, id);
  if (key.revokedAt !== null) throw new AppError("conflict", `the key ${key.id} is revoked; make a new one`);
  return key;
}

/** Writes the event of a change to a key, and makes its record. */
async function tell(tx: Transaction, type: string, row: ApiKeyRow | undefined, now: Date): Promise<ApiKey> {
  const key = toApiKey(found(row));
  const data = {
    id: key.id,
    name: key.name,
    hint: key.hint,
    scopes: key.scopes,
    budgetDollars: key.budgetDollars,
    rateLimitPerSecond: key.rateLimitPerSecond,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
  await appendEvent(tx, { teamId: key.teamId, type, resource: { kind: "api_key", id: key.id }, data }, now);
  return key;
}

function found(row: ApiKeyRow | undefined): ApiKeyRow {
  if (row === undefined) throw new AppError("not_found", "there is no key with this id");
  return row;
}
