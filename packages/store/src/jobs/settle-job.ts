import { AppError } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import type { JobState } from "./job-state.ts";
import { moveJob } from "./job-state.ts";
import type { JobLease, LeasedJob } from "./job.ts";
import { isWorthRetrying, retryDelayMs } from "./retry-delay.ts";

const MAX_ERROR_CHARACTERS = 2_000;

/**
 * Marks the job completed in the caller's transaction, so that its effect and its
 * completion happen together or not at all. Throws `conflict` when the job was taken
 * from this worker and `canceled` when it was called off: let it roll the rest back.
 */
export function completeJob(
  tx: Queryable,
  lease: JobLease,
  options: { readonly progress?: Json | undefined } = {},
): Promise<void> {
  return completeJobs(tx, [lease], options);
}

/** Marks several jobs completed, all or none of them; as completeJob. */
export async function completeJobs(
  tx: Queryable,
  leases: readonly JobLease[],
  options: { readonly progress?: Json | undefined } = {},
): Promise<void> {
  const completed = await tx.query<{ id: string }>(
    `UPDATE jobs SET state = 'completed', finished_at = clock_timestamp(), lease_token = NULL, lease_expires_at = NULL,
       error_code = NULL, error_message = NULL, progress = coalesce($3::jsonb, progress)
     FROM unnest($1::text[], $2::uuid[]) AS lease (job_id, token)
     WHERE jobs.id = lease.job_id AND jobs.lease_token = lease.token AND jobs.cancel_requested_at IS NULL
     RETURNING jobs.id`,
    [
      leases.map(({ jobId }) => jobId),
      leases.map(({ token }) => token),
      options.progress === undefined ? null : toJsonb(options.progress),
    ],
  );
  if (completed.length === leases.length) return;
  const done = new Set(completed.map(({ id }) => id));
  const refused = leases.find(({ jobId }) => !done.has(jobId));
  throw refused === undefined
    ? new AppError("internal", "a job was completed twice in one call")
    : await explainRefusal(tx, refused);
}

/** What became of a try that failed. */
export type FailureOutcome =
  | { readonly kind: "retrying"; readonly inMs: number }
  | { readonly kind: "dead" }
  | { readonly kind: "canceled" }
  /** Someone else has the job; nothing was written. */
  | { readonly kind: "lost" };

/** How failJob chooses the time of the next try. */
export interface FailOptions {
  /** From 0 to 1. */
  readonly random?: () => number;
  /** What the delay counts from, for tests with a clock of their own; the database's time unless given. */
  readonly now?: Date | undefined;
}

/** Ends a try that failed: the job waits for its next one, or is dead and keeps the error. */
export async function failJob(
  db: Queryable,
  job: LeasedJob,
  error: AppError,
  options: FailOptions = {},
): Promise<FailureOutcome> {
  const next = moveJob(
    { ...job, state: "running", cancelRequested: false },
    isWorthRetrying(error) ? "failed-retryably" : "failed-for-good",
  );
  const inMs = retryDelayMs(error, job.attempts, options.random ?? Math.random);
  const [row] = await db.query<{ state: JobState }>(
    `WITH failed AS (
       UPDATE jobs SET
         state = CASE WHEN cancel_requested_at IS NULL THEN $3 ELSE 'canceled' END,
         finished_at = CASE WHEN cancel_requested_at IS NULL AND $3 = 'scheduled' THEN NULL ELSE clock_timestamp() END,
         run_at = coalesce($4::timestamptz, clock_timestamp()) + $5 * interval '1 millisecond',
         lease_token = NULL, lease_expires_at = NULL, error_code = $6, error_message = $7
       WHERE id = $1 AND lease_token = $2
       RETURNING state, kind
     )
     SELECT state, (SELECT wake_job_runners(array_agg(kind)) FROM failed WHERE state = 'scheduled') FROM failed`,
    [job.id, job.lease.token, next?.state, options.now ?? null, inMs, error.code, describe(error)],
  );
  if (row === undefined) return { kind: "lost" };
  if (row.state === "canceled" || row.state === "dead") return { kind: row.state };
  return { kind: "retrying", inMs };
}

/** Gives jobs back unfinished, as if this try had not begun; those already taken away are left alone. */
export async function handBackJobs(db: Queryable, leases: readonly JobLease[]): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `WITH back AS (
       UPDATE jobs SET
         state = CASE WHEN cancel_requested_at IS NULL THEN 'queued' ELSE 'canceled' END,
         finished_at = CASE WHEN cancel_requested_at IS NULL THEN NULL ELSE clock_timestamp() END,
         attempts = CASE WHEN cancel_requested_at IS NULL THEN attempts - 1 ELSE attempts END,
         lease_token = NULL, lease_expires_at = NULL
       FROM unnest($1::text[], $2::uuid[]) AS lease (job_id, token)
       WHERE jobs.id = lease.job_id AND jobs.lease_token = lease.token
       RETURNING jobs.id, kind
     )
     SELECT id, (SELECT wake_job_runners(array_agg(kind)) FROM back) FROM back`,
    [leases.map(({ jobId }) => jobId), leases.map(({ token }) => token)],
  );
  return rows.map(({ id }) => id);
}

/** A job whose worker stopped answering, and what it is now. */
export interface LostJob {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
}

/** Takes jobs from workers whose lease has run out. The try counts: a job that kills its worker is dead some day. */
export function requeueLostJobs(db: Database): Promise<readonly LostJob[]> {
  return db.query<LostJob>(
    `WITH expired AS (
       SELECT id FROM jobs WHERE lease_token IS NOT NULL AND lease_expires_at < now()
       LIMIT ${MAX_LOST_JOBS} FOR UPDATE SKIP LOCKED
     ), lost AS (
       UPDATE jobs SET
         state = CASE WHEN cancel_requested_at IS NOT NULL THEN 'canceled'
           WHEN attempts >= max_attempts THEN 'dead' ELSE 'queued' END,
         finished_at = CASE WHEN cancel_requested_at IS NOT NULL OR attempts >= max_attempts THEN now() END,
         lease_token = NULL, lease_expires_at = NULL,
         error_code = 'unavailable', error_message = 'its worker stopped answering in the middle of it'
       FROM expired WHERE jobs.id = expired.id
       RETURNING jobs.id, kind, state
     )
     SELECT id, kind, state, (SELECT wake_job_runners(array_agg(kind)) FROM lost WHERE state = 'queued') FROM lost`,
  );
}

const MAX_LOST_JOBS = 500;

async function explainRefusal(tx: Queryable, lease: JobLease): Promise<AppError> {
  const [row] = await tx.query<{ is_held: boolean | null }>(
    "SELECT lease_token = $2 AS is_held FROM jobs WHERE id = $1",
    [lease.jobId, lease.token],
  );
  return row?.is_held === true
    ? new AppError("canceled", "the job was canceled: its effect is not kept")
    : new AppError("conflict", "the job was taken from this worker, whose lease ran out: its effect is not kept");
}

/** An accident's own message says nothing; its cause's does. Operators read this, callers do not. */
function describe(error: AppError): string {
  const cause = error.code === "internal" && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${cause}`.replaceAll("\u0000", "").slice(0, MAX_ERROR_CHARACTERS);
}
