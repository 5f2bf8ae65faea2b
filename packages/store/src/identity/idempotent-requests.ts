import { randomUUID } from "node:crypto";
import { makeId } from "@quarry/base";
import type { Queryable } from "../database.ts";

/** Names one request that must take effect once. */
export interface IdempotentRequest {
  readonly teamId: string;
  readonly route: string;
  /** SHA-256 of the caller's Idempotency-Key. */
  readonly keyHash: Buffer;
  /** SHA-256 of what was asked. */
  readonly requestHash: Buffer;
}

/** The right to carry out a request; `operationId` is the same for every attempt at it. */
export interface RequestClaim {
  readonly operationId: string;
  readonly leaseToken: string;
}

/**
 * What became of the attempt to claim a request.
 * - claimed: this process carries it out, then stores the reply or gives it up;
 * - running: another does, and its lease holds;
 * - answered: the reply is stored;
 * - mismatch: the key was used for something else.
 */
export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly claim: RequestClaim }
  | { readonly kind: "running" }
  | { readonly kind: "answered"; readonly status: number; readonly body: Buffer }
  | { readonly kind: "mismatch" };

/** How long a claim stands without a sign of life; a crash delays the retry by this much where several processes share the database. */
export const CLAIM_LEASE_MS = 15_000;
/** How long a reply is kept. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 3_600_000;

/**
 * Claims a request, or tells what became of it. A request whose claimer died is
 * claimed anew when its lease has run out, with the same operationId. Leases and
 * expiry go by the database's clock, which all processes share.
 */
export async function claimRequest(db: Queryable, request: IdempotentRequest): Promise<ClaimOutcome> {
  const leaseToken = randomUUID();
  const [claimed] = await db.query<{ operation_id: string }>(
    `INSERT INTO idempotent_requests AS request
       (team_id, route, key_hash, request_hash, operation_id, lease_token, lease_until, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms', now() + $8 * interval '1 ms')
     ON CONFLICT (team_id, route, key_hash) DO UPDATE SET
       request_hash = excluded.request_hash, lease_token = excluded.lease_token, lease_until = excluded.lease_until,
       expires_at = excluded.expires_at, reply_status = NULL, reply_body = NULL,
       operation_id = CASE WHEN request.expires_at <= now() THEN excluded.operation_id ELSE request.operation_id END
     WHERE request.expires_at <= now() OR (request.reply_status IS NULL AND request.lease_until <= now()
       AND request.request_hash = excluded.request_hash)
     RETURNING operation_id`,
    [
      request.teamId,
      request.route,
      request.keyHash,
      request.requestHash,
      makeId("op").slice("op_".length),
      leaseToken,
      CLAIM_LEASE_MS,
      IDEMPOTENCY_LIFETIME_MS,
    ],
  );
  if (claimed !== undefined) return { kind: "claimed", claim: { operationId: claimed.operation_id, leaseToken } };
  const [row] = await db.query<{ request_hash: Buffer; reply_status: number | null; reply_body: Buffer | null }>(
    `SELECT request_hash, reply_status, reply_body FROM idempotent_requests
     WHERE team_id = $1 AND route = $2 AND key_hash = $3`,
    [request.teamId, request.route, request.keyHash],
  );
  if (row === undefined) return { kind: "running" }; // given up between the two statements: free at the next try
  if (!row.request_hash.equals(request.requestHash)) return { kind: "mismatch" };
  if (row.reply_status === null || row.reply_body === null) return { kind: "running" };
  return { kind: "answered", status: row.reply_status, body: row.reply_body };
}

/** Lengthens the lease of a claim; false when another has taken over. */
export async function renewClaim(db: Queryable, request: IdempotentRequest, claim: RequestClaim): Promise<boolean> {
  const rows = await db.query(
    `UPDATE idempotent_requests SET lease_until = now() + $5 * interval '1 ms'
     WHERE team_id = $1 AND route = $2 AND key_hash = $3 AND lease_token = $4 AND reply_status IS NULL
     RETURNING 1`,
    [request.teamId, request.route, request.keyHash, claim.leaseToken, CLAIM_LEASE_MS],
  );
  return rows.length > 0;
}

/** Keeps the reply for those who ask again; does nothing when another has taken over. */
export async function storeReply(
  db: Queryable,
  request: IdempotentRequest,
  claim: RequestClaim,
  reply: { readonly status: number; readonly body: Buffer },
): Promise<void> {
  await db.query(
    `UPDATE idempotent_requests SET reply_status = $5, reply_body = $6
     WHERE team_id = $1 AND route = $2 AND key_hash = $3 AND lease_token = $4`,
    [request.teamId, request.route, request.keyHash, claim.leaseToken, reply.status, reply.body],
  );
}

/**
 * Gives a claim up after a failure. When the attempt may have acted (the server
 * failed half-way) the operationId stays for the next one; when it was refused,
 * nothing is left of it.
 */
export async function giveUpClaim(
  db: Queryable,
  request: IdempotentRequest,
  claim: RequestClaim,
  attempt: { readonly mayHaveActed: boolean },
): Promise<void> {
  const mine = "team_id = $1 AND route = $2 AND key_hash = $3 AND lease_token = $4 AND reply_status IS NULL";
  await db.query(
    attempt.mayHaveActed
      ? `UPDATE idempotent_requests SET lease_until = now() WHERE ${mine}`
      : `DELETE FROM idempotent_requests WHERE ${mine}`,
    [request.teamId, request.route, request.keyHash, claim.leaseToken],
  );
}

/** Forgets replies past their time; answers how many. */
export async function sweepIdempotentRequests(db: Queryable): Promise<number> {
  const rows = await db.query("DELETE FROM idempotent_requests WHERE expires_at <= now() RETURNING 1");
  return rows.length;
}
