import { AppError, sleep } from "@quarry/base";
import type { Database, Transaction } from "../database.ts";
import type { Json } from "../jsonb.ts";
import type { JobCompletion, JobHandler } from "./job-handler.ts";
import type { LeasedJob } from "./job.ts";
import { completeJob, failJob, handBackJobs, type FailureOutcome } from "./settle-job.ts";

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

type FailedTry =
  | FailureOutcome
  /** The worker could not go on; another has the job now, and the try does not count. */
  | { readonly kind: "handed-back" }
  | { readonly kind: "unsettled"; readonly settleError: AppError };

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

/** Goes on trying for as long as nobody else can have the job. */
async function settleFailure(deps: RunJobDeps, running: RunningJob, error: AppError): Promise<FailedTry> {
  for (;;) {
    try {
      return await settleOnce(deps, running, error);
    } catch (thrown) {
      const settleError = AppError.from(thrown);
      const patienceMs = running.leaseEndsAtMs - performance.now();
      if (!settleError.retryable || patienceMs < SETTLE_RETRY_MS) return { kind: "unsettled", settleError };
    }
    await sleep(SETTLE_RETRY_MS);
  }
}

async function settleOnce(deps: RunJobDeps, running: RunningJob, error: AppError): Promise<FailedTry> {
  const { job, stop } = running;
  const reason: unknown = stop.signal.reason;
  if (!stop.signal.aborted || (reason instanceof AppError && reason.code === "canceled")) {
    return failJob(deps.database, job, error, { random: deps.random, now: deps.now() });
  }
  // Our lease was in doubt, which is no fault of the job's; if it still is ours, another may have it at once.
  const handedBack = await handBackJobs(deps.database, [job.lease]);
  return { kind: handedBack.length > 0 ? "handed-back" : "lost" };
}
