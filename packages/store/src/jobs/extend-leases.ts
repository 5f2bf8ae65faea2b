import type { Database } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import type { JobLease } from "./job.ts";

/** A lease to keep, with what the handler has reported since the last time. */
export interface LeaseExtension {
  readonly lease: JobLease;
  readonly progress?: Json | undefined;
}

/** What a heartbeat found. */
export interface LeaseStatus {
  readonly jobId: string;
  /** Whether the job is still this worker's. */
  readonly isHeld: boolean;
  /** Whether the lease was made longer; not so for a row that another transaction has locked just now. */
  readonly isExtended: boolean;
  readonly isCancelRequested: boolean;
}

/** One heartbeat for all jobs of a worker: extends their leases by `leaseMs` from now and stores their progress. */
export async function extendLeases(
  db: Database,
  extensions: readonly LeaseExtension[],
  leaseMs: number,
): Promise<readonly LeaseStatus[]> {
  const rows = await db.query<LeaseStatusRow>(
    `WITH lease AS (
       SELECT * FROM jsonb_to_recordset($1) AS (job_id text, token uuid, progress jsonb)
     ), free AS (
       SELECT jobs.id FROM jobs JOIN lease ON jobs.id = lease.job_id AND jobs.lease_token = lease.token
       FOR UPDATE OF jobs SKIP LOCKED
     ), extended AS (
       UPDATE jobs SET lease_expires_at = now() + $2 * interval '1 millisecond',
         progress = coalesce(lease.progress, jobs.progress)
       FROM lease, free WHERE jobs.id = free.id AND jobs.id = lease.job_id
       RETURNING jobs.id
     )
     SELECT lease.job_id, jobs.id IS NOT NULL AS is_held, extended.id IS NOT NULL AS is_extended,
       jobs.cancel_requested_at IS NOT NULL AS is_cancel_requested
     FROM lease
     LEFT JOIN jobs ON jobs.id = lease.job_id AND jobs.lease_token = lease.token
     LEFT JOIN extended ON extended.id = lease.job_id`,
    [
      toJsonb(extensions.map(({ lease, progress = null }) => ({ job_id: lease.jobId, token: lease.token, progress }))),
      leaseMs,
    ],
  );
  return rows.map((row) => ({
    jobId: row.job_id,
    isHeld: row.is_held,
    isExtended: row.is_extended,
    isCancelRequested: row.is_cancel_requested,
  }));
}

interface LeaseStatusRow {
  readonly job_id: string;
  readonly is_held: boolean;
  readonly is_extended: boolean;
  readonly is_cancel_requested: boolean;
}
