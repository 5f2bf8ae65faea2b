/** A bell that one loop waits for. Rung while nobody waits, it is heard at the next wait. */
export interface WakeUp {
  readonly ring: () => void;
  /** Resolves at the next ring, after `atMostMs`, or when `signal` aborts. */
  readonly wait: (atMostMs: number, signal: AbortSignal) => Promise<void>;
}

/** Makes a bell. */
export function makeWakeUp(): WakeUp {
  let rung = false;
  let hear: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      hear?.();
    },
    wait: (atMostMs, signal) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          hear = undefined;
          rung = false;
          resolve();
        };
        const timer = setTimeout(end, atMostMs);
        signal.addEventListener("abort", end);
        hear = end;
        if (rung || signal.aborted) end();
      }),
  };
}
