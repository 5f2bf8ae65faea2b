import { readFileSync } from "node:fs";

/** How long the event loop stood still at most. */
export interface EventLoopStall {
  /** Processor time that this thread took between two turns: what our own code keeps others waiting. */
  readonly maxStallMs: number;
  /** The same by the clock: on a busy machine also the turns of other programs. */
  readonly maxWallStallMs: number;
}

const TICK_MS = 1;

/** Watches the event loop of this thread with a short timer; the result stops and tells. */
export function watchEventLoop(): () => EventLoopStall {
  let maxStallMs = 0;
  let maxWallStallMs = 0;
  let tickedAt = performance.now();
  let usedMs = readUsedMs();
  const tick = (): void => {
    const now = performance.now();
    const used = readUsedMs();
    maxWallStallMs = Math.max(maxWallStallMs, now - tickedAt - TICK_MS);
    maxStallMs = Math.max(maxStallMs, used - usedMs);
    usedMs = used;
    tickedAt = now;
  };
  const timer = setInterval(tick, TICK_MS);
  return () => {
    clearInterval(timer);
    tick();
    return { maxStallMs, maxWallStallMs };
  };
}

/** The first field of schedstat: nanoseconds on a processor. Where there is none (not Linux) the clock stands in. */
function readUsedMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
