import { scopeNames, type Scope } from "@quarry/contract";

/** A team's key, without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly budgetDollars: number | null;
  readonly spentDollars: number;
  readonly rateLimitPerSecond: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly previousSecretExpiresAt: Date | null;
}

/** A row of api_keys, as API_KEY_COLUMNS selects it. */
export interface ApiKeyRow {
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly budget_dollars: string | null;
  readonly spent_dollars: string;
  readonly rate_limit_per_second: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly previous_secret_expires_at: Date | null;
}

/** The columns an ApiKey is made of, of the table aliased `key`. */
export const API_KEY_COLUMNS = `
  key.id, key.team_id, key.name, key.hint, key.scopes, key.budget_dollars, key.spent_dollars,
  key.rate_limit_per_second, key.created_at, key.updated_at, key.last_used_at, key.expires_at,
  key.revoked_at, key.previous_secret_expires_at`;

/** Whether the key works at `now`. */
export function statusOfKey(key: ApiKey, now: Date): "active" | "expired" | "revoked" {
  if (key.revokedAt !== null) return "revoked";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

/** Makes the record of a row. A scope this version does not know grants nothing. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    teamId: row.team_id,
    name: row.name,
    hint: row.hint,
    scopes: scopeNames.filter((scope) => row.scopes.includes(scope)),
    budgetDollars: row.budget_dollars === null ? null : Number(row.budget_dollars),
    spentDollars: Number(row.spent_dollars),
    rateLimitPerSecond: row.rate_limit_per_second,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    previousSecretExpiresAt: row.previous_secret_expires_at,
  };
}
