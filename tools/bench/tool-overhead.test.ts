import { describe, expect, it } from "vitest";
import { toolOverheadBenchmark } from "./tool-overhead.ts";

const PROMISED_MS = 3;
/** Of what the tool itself costs over Connect in the same run: a busy machine slows that just as much. */
const MOST_OF_BARE = 3;
const TRIES = 3;

describe("a tool call without approval", () => {
  it("costs one round trip to the database when it only looks, and stays near the tool itself", async () => {
    const tries: Try[] = [];
    for (let count = 0; count < TRIES && !tries.some(isWithin); count += 1) {
      const { figures } = await toolOverheadBenchmark.run({ size: 0.05, progress: () => undefined });
      const { aboveMs = Infinity, bareMs = 0, roundTrips = Infinity } = figures as Partial<Record<string, number>>;
      tries.push({ aboveMs, limitMs: Math.max(PROMISED_MS, bareMs * MOST_OF_BARE), roundTrips });
    }
    expect(tries.filter(isWithin), JSON.stringify(tries)).toHaveLength(1);
  }, 240_000);
});

interface Try {
  readonly aboveMs: number;
  readonly limitMs: number;
  readonly roundTrips: number;
}

/** Renewing leases and contexts may add a few round trips in all, never one a call. */
function isWithin({ aboveMs, limitMs, roundTrips }: Try): boolean {
  return aboveMs < limitMs && roundTrips < 1.5;
}
