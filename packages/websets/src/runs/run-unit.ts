import { AppError, type Clock } from "@quarry/base";
import type { JobCompletion, JobHandler, JobRun } from "@quarry/store";

/** Tries of a unit that fails for reasons of its own before it is given up. */
const MAX_TRIES = 6;
/** How long a unit is tried whose failures may pass: the index, the store or a model may be away for a moment. */
const PATIENCE_MS = 10 * 60_000;
/** Units whose failures are remembered at once; more than a process has open. The oldest is forgotten: it is tried for longer. */
const MAX_REMEMBERED = 10_000;

/**
 * Makes a handler of a unit that always comes to an end: what fails is tried again by the queue, then given up, so that no
 * search and no cell stays open for ever. Workers that died count as no failure, and neither does the time since: patience
 * begins with the first failure that this process sees.
 */
export function runUnit(
  clock: Clock,
  work: (run: JobRun) => Promise<JobCompletion>,
  giveUp: (run: JobRun, error: AppError) => Promise<JobCompletion>,
): JobHandler {
  const failingSinceMs = new Map<string, number>();
  const isPatient = (jobId: string): boolean => {
    const nowMs = clock.now().getTime();
    const sinceMs = failingSinceMs.get(jobId) ?? nowMs;
    failingSinceMs.set(jobId, sinceMs);
    const [oldest] = failingSinceMs.keys();
    if (failingSinceMs.size > MAX_REMEMBERED && oldest !== undefined) failingSinceMs.delete(oldest);
    return nowMs - sinceMs < PATIENCE_MS;
  };
  return async (run) => {
    try {
      const completion = await work(run);
      failingSinceMs.delete(run.job.id);
      return completion;
    } catch (thrown) {
      run.signal.throwIfAborted();
      const error = AppError.from(thrown);
      if (mayPass(error)) {
        if (isPatient(run.job.id)) throw retryable(error);
      } else if (!(thrown instanceof AppError) && run.job.attempts < MAX_TRIES) {
        throw thrown;
      }
      const completion = await giveUp(run, error);
      failingSinceMs.delete(run.job.id);
      return completion;
    }
  };
}

/** What another try, or another worker, may see differently. */
const PASSING: ReadonlySet<AppError["code"]> = new Set([
  "conflict",
  "canceled",
  "unavailable",
  "timeout",
  "rate_limited",
]);

function mayPass(error: AppError): boolean {
  return error.retryable || PASSING.has(error.code);
}

function retryable(error: AppError): AppError {
  if (error.retryable) return error;
  return new AppError(error.code, error.message, { retryable: true, cause: error, details: error.details });
}
