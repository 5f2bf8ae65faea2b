import { timingSafeEqual } from "node:crypto";
import type { Queryable } from "../database.ts";
import { API_KEY_COLUMNS, toApiKey, type ApiKey, type ApiKeyRow } from "./api-key.ts";
import { hashSecret } from "./secret.ts";

/** What a secret stands for. Whether it still holds at this moment is the caller's to check: `validUntil` passes. */
export interface Credential {
  readonly teamId: string;
  /** The key behind it; null for a session opened by the link that the server prints. */
  readonly key: ApiKey | null;
  readonly validUntil: Date | null;
}

/** The key with this secret, unless it is revoked; a rotated key's old secret while its grace lasts. */
export async function findKeyCredential(db: Queryable, secret: string): Promise<Credential | undefined> {
  const hash = hashSecret(secret);
  const [row] = await db.query<ApiKeyRow & { secret_hash: Buffer; previous_secret_hash: Buffer | null }>(
    `SELECT ${API_KEY_COLUMNS}, key.secret_hash, key.previous_secret_hash FROM api_keys AS key
     WHERE (key.secret_hash = $1 OR key.previous_secret_hash = $1) AND key.revoked_at IS NULL`,
    [hash],
  );
  if (row === undefined) return undefined;
  const key = toApiKey(row);
  if (timingSafeEqual(row.secret_hash, hash)) return { teamId: key.teamId, key, validUntil: key.expiresAt };
  if (row.previous_secret_hash === null || !timingSafeEqual(row.previous_secret_hash, hash)) return undefined;
  return { teamId: key.teamId, key, validUntil: earlier(key.expiresAt, key.previousSecretExpiresAt) };
}

/** The session with this token, unless the key it stands for is revoked. */
export async function findSessionCredential(db: Queryable, token: string): Promise<Credential | undefined> {
  const hash = hashSecret(token);
  const [session] = await db.query<{ team_id: string; key_id: string | null; expires_at: Date; token_hash: Buffer }>(
    "SELECT team_id, key_id, expires_at, token_hash FROM sessions WHERE token_hash = $1",
    [hash],
  );
  if (session === undefined || !timingSafeEqual(session.token_hash, hash)) return undefined;
  if (session.key_id === null) return { teamId: session.team_id, key: null, validUntil: session.expires_at };
  const [row] = await db.query<ApiKeyRow>(
    `SELECT ${API_KEY_COLUMNS} FROM api_keys AS key WHERE key.id = $1 AND key.revoked_at IS NULL`,
    [session.key_id],
  );
  if (row === undefined) return undefined;
  const key = toApiKey(row);
  return { teamId: key.teamId, key, validUntil: earlier(session.expires_at, key.expiresAt) };
}

function earlier(first: Date | null, second: Date | null): Date | null {
  if (first === null || second === null) return first ?? second;
  return first < second ? first : second;
}
