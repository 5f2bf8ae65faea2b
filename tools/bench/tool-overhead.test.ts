import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { toolOverheadBenchmark } from "./tool-overhead.ts";

const PROMISED_MS = 3;
/** Of what the door and one write to the disk cost in the same run: a busy machine slows those just as much. */
const MOST_OF_FLOOR = 2;
const TRIES = 3;

describe("a tool call without approval", () => {
  verifies(
    "agent-protocol:overhead:under-3-ms",
    "costs one round trip to the database and under 3 ms above the tool itself",
    async () => {
      const tries: { readonly p50Ms: number; readonly limitMs: number; readonly roundTrips: number }[] = [];
      for (let count = 0; count < TRIES && !tries.some(isWithin); count += 1) {
        const { figures } = await toolOverheadBenchmark.run({ size: 0.05, progress: () => undefined });
        const { p50Ms = Infinity, floorMs = 0, roundTrips = Infinity } = figures as Partial<Record<string, number>>;
        tries.push({ p50Ms, limitMs: Math.max(PROMISED_MS, floorMs * MOST_OF_FLOOR), roundTrips });
      }
      expect(tries.filter(isWithin), JSON.stringify(tries)).toHaveLength(1);
    },
    240_000,
  );
});

/** Renewing leases and contexts may add a few round trips in all, never one a call. */
function isWithin(of: { readonly p50Ms: number; readonly limitMs: number; readonly roundTrips: number }): boolean {
  return of.p50Ms < of.limitMs && of.roundTrips < 1.5;
}
