import { AppError } from "@quarry/base";
import type { Database } from "../database.ts";
import { toJob, type JobRow, type LeasedJob } from "./job.ts";

/** Which jobs to take, and for how long. */
export interface ClaimOptions {
  readonly kinds: readonly string[];
  /** Shown in the row. */
  readonly workerId: string;
  readonly limit: number;
  readonly leaseMs: number;
  /** What "due" is measured by, for tests with a clock of their own; the database's time unless given. */
  readonly dueAt?: Date | undefined;
}

export const MAX_JOBS_PER_CLAIM = 500;

/**
 * Leases up to `limit` due jobs to this worker, highest priority first, never more of
 * a key than it allows. A statement of its own, since claims queue behind one lock:
 * never part of a longer transaction.
 */
export async function claimJobs(db: Database, options: ClaimOptions): Promise<readonly LeasedJob[]> {
  if (!Number.isInteger(options.limit) || options.limit < 1 || options.limit > MAX_JOBS_PER_CLAIM) {
    throw new AppError("invalid_request", `claim limit: expected an integer from 1 to ${MAX_JOBS_PER_CLAIM}`);
  }
  const rows = await db.query<JobRow & { lease_token: string }>(
    `SELECT * FROM claim_jobs($1, $2, $3, $4, coalesce($5::timestamptz, now()))
     ORDER BY priority DESC, run_at, sequence`,
    [options.kinds, options.workerId, options.limit, options.leaseMs, options.dueAt ?? null],
  );
  return rows.map((row) => ({ ...toJob(row), lease: { jobId: row.id, token: row.lease_token } }));
}

/** How long until the next delayed job comes due, 0 when one is; undefined when there is none. */
export async function msUntilNextJob(db: Database, dueAt?: Date): Promise<number | undefined> {
  const [row] = await db.query<{ wait_ms: number | null }>(
    `SELECT (extract(epoch FROM min(run_at) - coalesce($1::timestamptz, now())) * 1000)::float8 AS wait_ms
     FROM jobs WHERE state = 'scheduled'`,
    [dueAt ?? null],
  );
  return row?.wait_ms == null ? undefined : Math.max(0, row.wait_ms);
}
