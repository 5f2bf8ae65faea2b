import type { Queryable, Transaction } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import type { BatchRequest, BatchStatus, BatchUrl } from "./batch.ts";

/** What became of one try of a request. */
export type BatchOutcome =
  | { readonly kind: "answered"; readonly statusCode: number; readonly body: Json; readonly isFailure: boolean }
  | { readonly kind: "error"; readonly code: string; readonly message: string }
  /** Its agent run is under way. */
  | { readonly kind: "running" }
  /** Refused for a reason that passes. */
  | { readonly kind: "again" };

interface RequestRow {
  readonly number: number;
  readonly custom_id: string;
  readonly url: BatchUrl;
  readonly body: Json;
  readonly run_id: string | null;
  readonly tries: number;
}

/** Requests of a batch that are to be done, or whose run is under way, the first ones. */
export async function listOpenRequests(
  db: Queryable,
  batchId: string,
  wanted: { readonly status: "pending" | "running"; readonly limit: number },
): Promise<readonly BatchRequest[]> {
  const rows = await db.query<RequestRow>(
    `SELECT number, custom_id, url, body, run_id, tries FROM batch_requests
     WHERE batch_id = $1 AND status = $2 ORDER BY tries, number LIMIT $3`,
    [batchId, wanted.status, wanted.limit],
  );
  return rows.map(({ custom_id: customId, run_id: runId, ...row }) => ({ ...row, customId, runId }));
}

/** Keeps what became of requests, and counts it; one that has been answered stays as it is. The batch must be locked. */
export async function settleRequests(
  tx: Transaction,
  batchId: string,
  outcomes: readonly { readonly number: number; readonly outcome: BatchOutcome }[],
): Promise<void> {
  const changes = outcomes.map(({ number, outcome }) => ({ number, ...toChange(outcome) }));
  await tx.query(
    `WITH change AS (
       SELECT * FROM jsonb_to_recordset($2) AS (number int, status text, again int, response jsonb, error jsonb)
     ), settled AS (
       UPDATE batch_requests AS request SET status = change.status, tries = request.tries + change.again,
         response = change.response, error = change.error
       FROM change WHERE request.batch_id = $1 AND request.number = change.number
         AND request.status IN ('pending', 'running')
       RETURNING request.status
     )
     UPDATE batches SET
       completed = completed + (SELECT count(*) FROM settled WHERE status = 'completed'),
       failed = failed + (SELECT count(*) FROM settled WHERE status = 'failed')
     WHERE id = $1`,
    [batchId, toJsonb(changes)],
  );
}

/** Gives every request that has no answer this error. The batch must be locked. */
export async function failOpenRequests(
  tx: Transaction,
  batchId: string,
  error: { readonly code: string; readonly message: string },
): Promise<void> {
  await tx.query(
    `WITH settled AS (
       UPDATE batch_requests SET status = 'failed', error = $2 WHERE batch_id = $1 AND status IN ('pending', 'running')
       RETURNING 1
     )
     UPDATE batches SET failed = failed + (SELECT count(*) FROM settled) WHERE id = $1`,
    [batchId, toJsonb(error)],
  );
}

/** Ends a batch whose requests all have their answer; whether it did. The batch must be locked. */
export async function endBatch(
  tx: Transaction,
  batchId: string,
  end: {
    readonly status: Extract<BatchStatus, "completed" | "cancelled">;
    readonly now: Date;
    readonly expiresAt: Date;
  },
): Promise<boolean> {
  const ended = await tx.query(
    `UPDATE batches SET status = $2, ended_at = $3, expires_at = $4
     WHERE id = $1 AND status IN ('in_progress', 'cancelling') AND completed + failed = total RETURNING 1`,
    [batchId, end.status, end.now, end.expiresAt],
  );
  return ended.length === 1;
}

/** What one request came to. */
export interface BatchResult {
  readonly number: number;
  readonly customId: string;
  readonly response: Json;
  readonly error: Json;
}

/** Results after number `after`, in the order of the requests. */
export async function listBatchResults(
  db: Queryable,
  batchId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly BatchResult[]> {
  const rows = await db.query<Omit<BatchResult, "customId"> & { readonly custom_id: string }>(
    `SELECT number, custom_id, response, error FROM batch_requests
     WHERE batch_id = $1 AND number > $2 AND status IN ('completed', 'failed') ORDER BY number LIMIT $3`,
    [batchId, page.after, page.limit],
  );
  return rows.map(({ custom_id: customId, ...row }) => ({ ...row, customId }));
}

function toChange(outcome: BatchOutcome): Readonly<Record<string, Json>> {
  switch (outcome.kind) {
    case "answered": {
      const { statusCode, body, isFailure } = outcome;
      return { status: isFailure ? "failed" : "completed", again: 0, response: { statusCode, body } };
    }
    case "error":
      return { status: "failed", again: 0, error: { code: outcome.code, message: outcome.message } };
    case "running":
      return { status: "running", again: 0 };
    case "again":
      return { status: "pending", again: 1 };
  }
}
