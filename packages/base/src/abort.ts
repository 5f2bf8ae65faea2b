/** Waits `milliseconds`; rejects with the signal's reason as soon as it aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(toError(signal.reason));
      return;
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      reject(toError(signal?.reason));
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Waits for `promise`, but not past the signal; what comes of it then is nobody's. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(toError(signal.reason));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** An abort of one's own that also comes with another's. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  readonly abort: (reason: Error) => void;
  /** Forgets the other's signal and the time; without it the listener stays. */
  readonly end: () => void;
}

/** Aborts with `parent`, by itself, or with what `late` makes after a time. Far cheaper than AbortSignal.any and timeout, for what is done for every call. */
export function linkAbort(
  parent: AbortSignal,
  limit?: { readonly milliseconds: number; readonly late: () => Error },
): LinkedAbort {
  const own = new AbortController();
  const follow = (): void => own.abort(toError(parent.reason));
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  const timer =
    limit === undefined
      ? undefined
      : setTimeout(() => own.abort(limit.late()), Math.max(0, Math.min(limit.milliseconds, MAX_TIMER_MS)));
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    end: () => {
      clearTimeout(timer);
      parent.removeEventListener("abort", follow);
    },
  };
}

/** What a timer can count. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
