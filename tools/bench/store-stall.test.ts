import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { benchStoreStall } from "./store-stall.ts";
import { watchEventLoop } from "./event-loop-stall.ts";

const PROMISED_MS = 20;
const MAX_TRIES = 4;

verifies(
  "store:stall:under-20-ms",
  "keeps the event loop free during bulk writes",
  async () => {
    // A stall of ours comes every time; one of the machine's does not.
    const stalls: number[] = [];
    while (stalls.length < MAX_TRIES && !stalls.some((ms) => ms < PROMISED_MS)) {
      const { maxStallMs, rows } = await benchStoreStall(0.1);
      expect(rows).toBe(4_000);
      stalls.push(maxStallMs);
    }
    expect(Math.min(...stalls), stalls.join(", ")).toBeLessThan(PROMISED_MS);
  },
  60_000,
);

it("sees a stall when there is one", () => {
  const stopWatching = watchEventLoop();
  for (const until = performance.now() + 30; performance.now() < until;);
  expect(stopWatching().maxWallStallMs).toBeGreaterThan(25);
});
