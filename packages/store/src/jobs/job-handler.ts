import type { Transaction } from "../database.ts";
import type { Json } from "../jsonb.ts";
import type { Job } from "./job.ts";

/** Proof that a job was completed; only `JobRun.complete` makes one. */
export interface JobCompletion {
  readonly kind: "job-completion";
  readonly jobId: string;
}

/** One try of a job, in the hands of its handler. */
export interface JobRun {
  readonly job: Job;
  /** Aborts when the job is canceled, taken away or to be handed back; the reason is an AppError. */
  readonly signal: AbortSignal;
  /** Keeps `progress` in the job's row, a fraction of a second later; only the latest counts. */
  readonly reportProgress: (progress: Json) => void;
  /**
   * Runs `work` in a transaction that also completes the job: both happen, once, or
   * neither. Everything the job changes in the database belongs in `work`, next jobs
   * and events too; everything slow (network, models) comes before. Rejects with
   * `conflict` or `canceled`, and nothing kept, when the job is no longer ours.
   */
  readonly complete: (work?: (tx: Transaction) => Promise<void>) => Promise<JobCompletion>;
}

/**
 * Does the jobs of one kind. It must end with `return run.complete(…)`; the type sees
 * to that. It may run more than once for one job (a crash, a failed try), but what it
 * does in `complete` takes effect once. It throws to fail the try: an AppError says by
 * `retryable` and `retryAfterMs` whether and when there is another, any other error is
 * tried again until the job's tries are spent.
 */
export type JobHandler = (run: JobRun) => Promise<JobCompletion>;
