import { sleep } from "@quarry/base";
import { setImmediate } from "node:timers/promises";

/** Resolves when the next page may be prepared. */
export type TakeTurn = () => Promise<void>;

/** Between two pages while people search: a bulk load goes on at a third of its speed, and searches hardly notice it. */
const REST_MS = 3;

/** Turns of one process: one page at a time, each in a round of the event loop of its own, and slower while `isSearched`. */
export function makeIngestTurns(isSearched: () => boolean): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    last = last.then(() => (isSearched() ? sleep(REST_MS) : setImmediate()));
    await last;
  };
}
