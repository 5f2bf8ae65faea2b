import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { benchStoreStall } from "./store-stall.ts";
import { watchEventLoop } from "./event-loop-stall.ts";

verifies(
  "store:stall:under-20-ms",
  "keeps the event loop free during bulk writes",
  async () => {
    const { maxStallMs, rows } = await benchStoreStall(0.1);
    expect(rows).toBe(4_000);
    expect(maxStallMs).toBeLessThan(20);
  },
  60_000,
);

it("sees a stall when there is one", () => {
  const stopWatching = watchEventLoop();
  for (const until = performance.now() + 30; performance.now() < until;);
  expect(stopWatching().maxWallStallMs).toBeGreaterThan(25);
});
