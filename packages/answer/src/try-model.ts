import { AppError } from "@quarry/base";

/**
 * What the model made of a request; undefined when it failed, was late or has no budget left, so that the caller goes on without
 * it. Everything else (an abort, a fault of ours) is thrown on.
 */
export async function tryModel<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    signal.throwIfAborted();
    if (MODEL_FAULTS.has(AppError.from(thrown).code)) return undefined;
    throw thrown;
  }
}

const MODEL_FAULTS: ReadonlySet<string> = new Set(["upstream_failed", "unavailable", "timeout", "budget_exceeded"]);
