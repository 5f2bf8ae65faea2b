import { AppError } from "@quarry/base";

/** How much work is taken on at once. */
export interface AdmissionLimits {
  readonly maxRunning: number;
  /** Those past `maxRunning` wait for their turn; those past this are sent away at once. */
  readonly maxWaiting: number;
  /** Who has waited so long is sent away too: an answer that comes too late is worth nothing. */
  readonly maxWaitMs: number;
}

/** Runs work when there is room for it. Rejects with a retryable `unavailable` when there is none. */
export type Admit = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

const RETRY_AFTER_MS = 1_000;

/**
 * Keeps an overloaded server quick: it works on as many requests as it can finish, lets some wait, and refuses the rest
 * before it has spent anything on them.
 */
export function createAdmission(limits: AdmissionLimits): Admit {
  let running = 0;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    running -= 1;
    const [next] = waiting;
    next?.();
  };
  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (running < limits.maxRunning && waiting.size === 0) {
      running += 1;
      return;
    }
    if (waiting.size >= limits.maxWaiting) throw overloaded();
    await new Promise<void>((resolve, reject) => {
      const settle = (end: () => void): void => {
        waiting.delete(go);
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        end();
      };
      const go = (): void =>
        settle(() => {
          running += 1;
          resolve();
        });
      const onAbort = (): void => settle(() => reject(new AppError("canceled", "the client left while it waited")));
      const timer = setTimeout(() => settle(() => reject(overloaded())), limits.maxWaitMs);
      waiting.add(go);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  };
  return async (work, signal) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

function overloaded(): AppError {
  return new AppError("unavailable", "the server has more requests than it can answer; try again in a second", {
    retryable: true,
    retryAfterMs: RETRY_AFTER_MS,
  });
}
