import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { tryEdits } from "./edit-mutations.ts";
import { makeRandom } from "./random.ts";

const seed = randomInt(2 ** 31);

verifies(
  ["tools:edit-file:quality:never-wrong-place", "tools:edit-file:quality:95-percent"],
  `a hundred spoilt searches change the place that is meant, or nothing (seed ${seed})`,
  () => {
    const { figures, violations } = tryEdits(makeRandom(seed), 100);
    expect(violations).toEqual([]);
    expect(figures["wrong"]).toBe(0);
    expect(figures["recoverable"]).toBeGreaterThan(20);
  },
);
