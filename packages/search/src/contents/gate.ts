/** Lets so many through at once; the others wait their turn. */
export interface Gate {
  /** Resolves with the function that gives the place back, to be called once. Rejects when `signal` aborts. */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
}

/** A gate for `width` at once. */
export function createGate(width: number): Gate {
  let inside = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) inside -= 1;
    else next(); // the place passes on
  };
  return {
    enter: async (signal) => {
      signal.throwIfAborted();
      if (inside < width) {
        inside += 1;
        return leave;
      }
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(go), 1);
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the aborter gave, as throwIfAborted does
          reject(signal.reason);
        };
        const go = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
        waiting.push(go);
        signal.addEventListener("abort", onAbort, { once: true });
      });
      return leave;
    },
  };
}
