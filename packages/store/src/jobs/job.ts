import type { Json } from "../jsonb.ts";
import type { JobState } from "./job-state.ts";

/** A unit of long work, as its row has it. */
export interface Job {
  readonly id: string;
  /** Names the handler. */
  readonly kind: string;
  /** Null for the server's own housekeeping. */
  readonly teamId: string | null;
  /** What was enqueued; the handler parses it. */
  readonly payload: Json;
  readonly state: JobState;
  readonly priority: number;
  /** When it may run, or might have first. */
  readonly runAt: Date;
  /** At most `maxPerKey` jobs of one key run at once, whatever their kind. */
  readonly key: string | null;
  readonly maxPerKey: number | null;
  readonly dedupeKey: string | null;
  /** The cron slot this job stands for. */
  readonly slot: { readonly schedule: string; readonly at: Date } | null;
  /** Tries begun, the running one included. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Who runs it, or ran it last. */
  readonly workerId: string | null;
  readonly cancelRequested: boolean;
  /** What the handler last reported. */
  readonly progress: Json;
  /** Why the last try failed. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** The right to finish one run of a job. Worthless once the job was taken from its worker. */
export interface JobLease {
  readonly jobId: string;
  readonly token: string;
}

/** A job that this process holds. */
export interface LeasedJob extends Job {
  readonly lease: JobLease;
}

/** A row of jobs, as JOB_COLUMNS selects it. */
export interface JobRow {
  readonly id: string;
  readonly kind: string;
  readonly team_id: string | null;
  readonly payload: Json;
  readonly state: JobState;
  readonly priority: number;
  readonly run_at: Date;
  readonly concurrency_key: string | null;
  readonly max_per_key: number | null;
  readonly dedupe_key: string | null;
  readonly schedule_name: string | null;
  readonly slot_at: Date | null;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly worker_id: string | null;
  readonly cancel_requested_at: Date | null;
  readonly progress: Json;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** The columns a Job is made of. */
export const JOB_COLUMNS = `
  id, kind, team_id, payload, state, priority, run_at, concurrency_key, max_per_key, dedupe_key, schedule_name,
  slot_at, attempts, max_attempts, worker_id, cancel_requested_at, progress, error_code, error_message,
  created_at, started_at, finished_at`;

/** Makes the record of a row. */
export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    teamId: row.team_id,
    payload: row.payload,
    state: row.state,
    priority: row.priority,
    runAt: row.run_at,
    key: row.concurrency_key,
    maxPerKey: row.max_per_key,
    dedupeKey: row.dedupe_key,
    slot: row.schedule_name === null || row.slot_at === null ? null : { schedule: row.schedule_name, at: row.slot_at },
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    workerId: row.worker_id,
    cancelRequested: row.cancel_requested_at !== null,
    progress: row.progress,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
