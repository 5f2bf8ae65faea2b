import type { AppError } from "@quarry/base";

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10 * 60_000;
const LONGEST_ASKED_DELAY_MS = 7 * 24 * 3_600_000;

/**
 * How long a job waits after its `attempts`-th try failed: what the error asks for,
 * else a second doubled each time up to ten minutes, less up to half of it by `random`
 * (0 to 1), so that what failed together does not come back together.
 */
export function retryDelayMs(error: AppError, attempts: number, random: () => number): number {
  if (error.retryAfterMs !== undefined) return Math.min(Math.max(error.retryAfterMs, 0), LONGEST_ASKED_DELAY_MS);
  const ceilingMs = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), LONGEST_DELAY_MS);
  return Math.round(ceilingMs * (1 - random() / 2));
}

/**
 * Whether a try that failed with `error` may be followed by another. It is the error's
 * word, but for `internal`: that is an accident, on which nobody has given one.
 */
export function isWorthRetrying(error: AppError): boolean {
  return error.retryable || error.code === "internal";
}
