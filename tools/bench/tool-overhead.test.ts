import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { toolOverheadBenchmark } from "./tool-overhead.ts";

const PROMISED_MS = 3;
/** A bare call takes 0.4 to 1.3 ms, by the machine; where it takes longer than this, other work is in the way of every figure in milliseconds. */
const QUIET_BARE_MS = 1.6;
/** Beside a server that only writes as many rows, on a busy machine. */
const MOST_OF_KEPT = 2.2;
const TRIES = 3;

verifies(
  "agent-protocol:overhead:under-3-ms",
  "a tool call without approval costs under 3 ms, or little more than keeping it on a busy machine: one round trip when it looks, two when it writes",
  async () => {
    const tries: Record<string, number>[] = [];
    const isWithin = (kind: "look" | "write", trips: number): boolean =>
      tries.some((figures) => {
        const of = (name: string): number => figures[`${kind} ${name}`] ?? Infinity;
        const isBusy = of("bareMs") > QUIET_BARE_MS;
        const isFast = of("aboveMs") < PROMISED_MS || (isBusy && of("p50Ms") < MOST_OF_KEPT * of("keptMs"));
        // Renewing leases and contexts may add a few round trips in all, never one a call.
        return isFast && of("roundTrips") < trips + 0.5;
      });
    for (let count = 0; count < TRIES && !(isWithin("look", 1) && isWithin("write", 2)); count += 1) {
      const { figures } = await toolOverheadBenchmark.run({ size: 0.05, progress: () => undefined });
      tries.push({ ...figures });
    }
    const seen = JSON.stringify(tries);
    expect(isWithin("look", 1), seen).toBe(true);
    expect(isWithin("write", 2), seen).toBe(true);
  },
  240_000,
);
