import { AppError, makeId, toPage, type Page } from "@quarry/base";
import type { Scope } from "@quarry/contract";
import type { Queryable } from "../database.ts";
import { API_KEY_COLUMNS, toApiKey, type ApiKey, type ApiKeyRow } from "./api-key.ts";
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
export async function createKey(db: Queryable, teamId: string, wanted: NewKey, now: Date): Promise<KeyAndSecret> {
  const secret = makeSecret("qry");
  const [row] = await db.query<ApiKeyRow>(
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
  return { key: toApiKey(found(row)), secret };
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

/** Changes a key; throws `not_found`, and `conflict` for a revoked one. */
export async function updateKey(
  db: Queryable,
  teamId: string,
  id: string,
  change: KeyChange,
  now: Date,
): Promise<ApiKey> {
  const [row] = await db.query<ApiKeyRow>(
    `UPDATE api_keys AS key SET
       name = coalesce($3, key.name),
       scopes = coalesce($4, key.scopes),
       expires_at = CASE WHEN $5 THEN $6 ELSE key.expires_at END,
       budget_dollars = CASE WHEN $7 THEN $8 ELSE key.budget_dollars END,
       rate_limit_per_second = CASE WHEN $9 THEN $10 ELSE key.rate_limit_per_second END,
       updated_at = $11
     WHERE key.team_id = $1 AND key.id = $2 AND key.revoked_at IS NULL
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
  return row === undefined ? refuseRevoked(db, teamId, id) : toApiKey(row);
}

/**
 * Gives a key a new secret. The old one works `graceMs` longer; a still older one
 * ends now. Throws `not_found`, and `conflict` for a revoked key.
 */
export async function rotateKey(
  db: Queryable,
  teamId: string,
  id: string,
  options: { readonly graceMs: number; readonly now: Date },
): Promise<KeyAndSecret> {
  const secret = makeSecret("qry");
  const oldEndsAt = options.graceMs === 0 ? null : new Date(options.now.getTime() + options.graceMs);
  const [row] = await db.query<ApiKeyRow>(
    `UPDATE api_keys AS key SET
       secret_hash = $3, hint = $4, updated_at = $6,
       previous_secret_hash = CASE WHEN $5::timestamptz IS NULL THEN NULL ELSE key.secret_hash END,
       previous_secret_expires_at = $5
     WHERE key.team_id = $1 AND key.id = $2 AND key.revoked_at IS NULL
     RETURNING ${API_KEY_COLUMNS}`,
    [teamId, id, hashSecret(secret), hintOf(secret), oldEndsAt, options.now],
  );
  return row === undefined ? refuseRevoked(db, teamId, id) : { key: toApiKey(row), secret };
}

/** Ends the grace of the secret before the last rotation; throws `not_found`. */
export async function revokePreviousSecret(db: Queryable, teamId: string, id: string, now: Date): Promise<ApiKey> {
  const [row] = await db.query<ApiKeyRow>(
    `UPDATE api_keys AS key SET previous_secret_hash = NULL, previous_secret_expires_at = NULL, updated_at = $3
     WHERE key.team_id = $1 AND key.id = $2 RETURNING ${API_KEY_COLUMNS}`,
    [teamId, id, now],
  );
  return toApiKey(found(row));
}

/** Ends a key for good, and the sessions that stand on it; a second time changes nothing. Throws `not_found`. */
export async function revokeKey(db: Queryable, teamId: string, id: string, now: Date): Promise<ApiKey> {
  const [row] = await db.query<ApiKeyRow>(
    `UPDATE api_keys AS key SET
       revoked_at = coalesce(key.revoked_at, $3), updated_at = $3,
       previous_secret_hash = NULL, previous_secret_expires_at = NULL
     WHERE key.team_id = $1 AND key.id = $2 RETURNING ${API_KEY_COLUMNS}`,
    [teamId, id, now],
  );
  return toApiKey(found(row));
}

async function refuseRevoked(db: Queryable, teamId: string, id: string): Promise<never> {
  const key = await getKey(db, teamId, id);
  throw new AppError("conflict", `the key ${key.id} is revoked; make a new one`);
}

function found(row: ApiKeyRow | undefined): ApiKeyRow {
  if (row === undefined) throw new AppError("not_found", "there is no key with this id");
  return row;
}
