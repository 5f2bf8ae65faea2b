import { AppError, sleep } from "@quarry/base";
import type { Database, Transaction } from "../database.ts";
import type { Json } from "../jsonb.ts";
import type { JobCompletion, JobHandler } from "./job-handler.ts";
import type { LeasedJob } from "./job.ts";
import { completeJob, failJob, type FailureOutcome } from "./settle-job.ts";

/** A job that this process runs now. */
export interface RunningJob {
  readonly job: LeasedJob;
  /** Aborted with an AppError that says why. */
  readonly stop: AbortController;
  /** By performance.now(): until then nobody else can have the job. */
  leaseEndsAtMs: number;
  /** Reported and not yet stored. */
  unsavedProgress: Json | undefined;
  isCompleted: boolean;
}

/** What became of one try. */
export type JobOutcome =
  /** `lateError`: what the handler threw after its effect was committed; nothing is left to undo. */
  { readonly kind: "completed"; readonly lateError?: AppError } | (FailedTry & { readonly error: AppError });

type FailedTry = FailureOutcome | { readonly kind: "unsettled"; readonly settleError: AppError };

/** What running a job needs. */
export interface RunJobDeps {
  readonly database: Database;
  readonly handler: JobHandler;
  readonly onProgress: () => void;
  /** From 0 to 1. */
  readonly random: () => number;
  /** What delays count from; undefined for the database's time. */
  readonly now: () => Date | undefined;
}

const SETTLE_RETRY_MS = 100;

/**
 * Runs the handler and writes down how it ended. Never rejects. When that cannot be
 * written while the lease lasts, the outcome is `unsettled`, and the job is taken
 * from us when the lease runs out.
 */
export async function runJob(deps: RunJobDeps, running: RunningJob): Promise<JobOutcome> {
  const { job, stop } = running;
  const complete = async (work?: (tx: Transaction) => Promise<void>): Promise<JobCompletion> => {
    const progress = running.unsavedProgress;
    if (work === undefined) await completeJob(deps.database, job.lease, { progress });
    else {
      await deps.database.transaction(async (tx) => {
        await work(tx);
        // Last, so that rows are locked in the order that others lock them: the subject, then its job.
        await completeJob(tx, job.lease, { progress });
      });
    }
    running.isCompleted = true;
    return { kind: "job-completion", jobId: job.id };
  };
  try {
    stop.signal.throwIfAborted();
    await deps.handler({
      job,
      signal: stop.signal,
      reportProgress: (progress) => {
        running.unsavedProgress = progress;
        deps.onProgress();
      },
      complete,
    });
    if (!running.isCompleted) throw new AppError("internal", `the handler of ${job.kind} ended without completing`);
    return { kind: "completed" };
  } catch (thrown) {
    const error = AppError.from(thrown);
    if (running.isCompleted) return { kind: "completed", lateError: error };
    return { ...(await settleFailure(deps, running, error)), error };
  }
}

async function settleFailure(deps: RunJobDeps, running: RunningJob, error: AppError): Promise<FailedTry> {
  for (;;) {
    try {
      return await failJob(deps.database, running.job, error, { random: deps.random, now: deps.now() });
    } catch (thrown) {
      const settleError = AppError.from(thrown);
      const patienceMs = running.leaseEndsAtMs - performance.now();
      if (!settleError.retryable || patienceMs < SETTLE_RETRY_MS) return { kind: "unsettled", settleError };
    }
    await sleep(SETTLE_RETRY_MS);
  }
}
