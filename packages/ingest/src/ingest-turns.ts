import { sleep } from "@quarry/base";
import { setImmediate } from "node:timers/promises";

/** Resolves when the next page may be prepared. */
export type TakeTurn = () => Promise<void>;

/** Between two pages while people search: half the speed of a bulk load, and the processors are free every other moment. */
const REST_MS = 2;

/** Turns of one process: one page at a time, each in a round of the event loop of its own, and slower while `isSearched`. */
export function makeIngestTurns(isSearched: () => boolean): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    last = last.then(() => (isSearched() ? sleep(REST_MS) : setImmediate()));
    await last;
  };
}
