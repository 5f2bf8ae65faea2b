import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { makeIngestTurns } from "./ingest-turns.ts";

/** How many of so many turns, taken at once, have come after a while. */
async function countTurns(isSearched: boolean, wait: () => Promise<unknown>): Promise<number> {
  const takeTurn = makeIngestTurns(() => isSearched);
  let came = 0;
  const all = Array.from({ length: 20 }, () => takeTurn().then(() => (came += 1)));
  await wait();
  const soon = came;
  await Promise.all(all);
  expect(came).toBe(20);
  return soon;
}

describe("makeIngestTurns", () => {
  test("gives one turn in a round of the event loop, whoever asks", async () => {
    const soon = await countTurns(false, async () => {
      for (let round = 0; round < 5; round += 1) await setImmediate();
    });
    expect(soon).toBeGreaterThan(0);
    expect(soon).toBeLessThanOrEqual(6);
  });

  test("rests between two while people search", async () => {
    const began = performance.now();
    await countTurns(true, () => Promise.resolve());
    expect(performance.now() - began).toBeGreaterThan(20 * 1.5);
  });

  test("rests longer the later it wakes, to a limit, and as before once it wakes in time", async () => {
    let nowMs = 0;
    let lateMs = 0;
    const rests: number[] = [];
    const takeTurn = makeIngestTurns(() => true, {
      nowMs: () => nowMs,
      sleep: (ms) => {
        rests.push(Math.round(ms));
        nowMs += ms + lateMs;
        return Promise.resolve();
      },
    });
    const restAfter = async (turns: number): Promise<number | undefined> => {
      for (let turn = 0; turn < turns; turn += 1) await takeTurn();
      return rests.at(-1);
    };
    expect(await restAfter(5)).toBe(3);
    lateMs = 2;
    expect(await restAfter(40)).toBe(11);
    lateMs = 100;
    expect(await restAfter(40)).toBe(40);
    lateMs = 0;
    expect(await restAfter(80)).toBe(3);
  });
});
