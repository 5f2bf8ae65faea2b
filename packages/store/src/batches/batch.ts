import type { Json } from "../jsonb.ts";

/**
 * in_progress: requests are still to be done. cancelling: someone called it off, and its job has yet to close it. completed,
 * cancelled: over; what was answered is kept until `expiresAt`.
 */
export type BatchStatus = "in_progress" | "completed" | "cancelling" | "cancelled";

/** A batch as the store keeps it. */
export interface Batch {
  readonly id: string;
  readonly teamId: string;
  /** The key that made it, in whose name the requests are done; null where none was needed. */
  readonly keyId: string | null;
  readonly status: BatchStatus;
  readonly metadata: Json;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly resultsSecret: Buffer;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** What a request of a batch asks for. */
export type BatchUrl = "/search" | "/agent/runs";

/** One request of a batch. */
export interface BatchRequest {
  readonly number: number;
  readonly customId: string;
  readonly url: BatchUrl;
  readonly body: Json;
  /** The agent run that this request is, or will be; null for others. */
  readonly runId: string | null;
  /** How often it was refused for a reason that passes. */
  readonly tries: number;
}

/** Whether nothing of the batch will change any more. */
export function isBatchOver(status: BatchStatus): boolean {
  return status === "completed" || status === "cancelled";
}

/** The columns of `toBatch`. */
export const BATCH_COLUMNS =
  "id, team_id, key_id, status, metadata, total, completed, failed, results_secret, created_at, ended_at, expires_at";

/** A row of `batches`. */
export interface BatchRow {
  readonly id: string;
  readonly team_id: string;
  readonly key_id: string | null;
  readonly status: BatchStatus;
  readonly metadata: Json;
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly results_secret: Buffer;
  readonly created_at: Date;
  readonly ended_at: Date | null;
  readonly expires_at: Date | null;
}

/** Reads a row. */
export function toBatch(row: BatchRow): Batch {
  return {
    id: row.id,
    teamId: row.team_id,
    keyId: row.key_id,
    status: row.status,
    metadata: row.metadata,
    total: row.total,
    completed: row.completed,
    failed: row.failed,
    resultsSecret: row.results_secret,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    expiresAt: row.expires_at,
  };
}
