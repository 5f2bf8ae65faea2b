import { sleep } from "@quarry/base";
import { setImmediate } from "node:timers/promises";

/** Resolves when the next page may be prepared. */
export type TakeTurn = () => Promise<void>;

/** How time passes; tests make their own. */
export interface TurnTime {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Between two pages while people search, where a processor is free at once. */
const LEAST_REST_MS = 3;
const MOST_REST_MS = 40;
/** A rest is longer by so many times what one wakes too late: what keeps this thread waiting keeps searches waiting. */
const LATENESS_FACTOR = 4;
/** How much the last rest tells of the next; a single late one is chance. */
const NEWS_SHARE = 0.2;

/**
 * Turns of one process: one page at a time, each in a round of the event loop of its own. While `isSearched` they rest
 * between two, the longer the busier the machine is: a bulk load goes on at a fraction of its speed, and searches hardly
 * notice it.
 */
export function makeIngestTurns(
  isSearched: () => boolean,
  time: TurnTime = { nowMs: () => performance.now(), sleep },
): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  let lateMs = 0;
  const rest = async (): Promise<void> => {
    const restMs = Math.min(MOST_REST_MS, LEAST_REST_MS + LATENESS_FACTOR * lateMs);
    const began = time.nowMs();
    await time.sleep(restMs);
    const wokeLateMs = Math.max(0, time.nowMs() - began - restMs);
    lateMs += NEWS_SHARE * (wokeLateMs - lateMs);
  };
  return async () => {
    last = last.then(() => (isSearched() ? rest() : setImmediate()));
    await last;
  };
}
