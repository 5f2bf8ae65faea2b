import { AppError } from "@quarry/base";
import type { WakeUp } from "./wake-up.ts";

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

/**
 * Repeats `step` until `signal` aborts, each time after the milliseconds it returned
 * or when the bell rings. A step that fails is told to `onFailure` and tried again
 * with growing pauses. Never rejects.
 */
export async function keepDoing(
  step: () => Promise<number>,
  options: { readonly bell: WakeUp; readonly signal: AbortSignal; readonly onFailure: (error: AppError) => void },
): Promise<void> {
  let retryMs = FIRST_RETRY_MS;
  while (!options.signal.aborted) {
    let waitMs: number;
    try {
      waitMs = await step();
      retryMs = FIRST_RETRY_MS;
    } catch (error) {
      options.onFailure(AppError.from(error));
      waitMs = retryMs;
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
    await options.bell.wait(waitMs, options.signal);
  }
}
