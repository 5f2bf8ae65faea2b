import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { extractFuzzSoak } from "./extract-fuzz.ts";
import { makeRandom } from "./random.ts";

const PART = 0.05;
const TIME_LIMIT_MS = 240_000; // some ten seconds on a machine that does nothing else

describe("extraction", () => {
  verifies(
    ["extract:robust:fuzzed", "extract:robust:never-throws", "promises:t16:parsers-fuzzed"],
    "takes pages and files damaged in every way, and pages made to hurt",
    async () => {
      const seed = randomInt(2 ** 31);
      process.stdout.write(`soak extract-fuzz: npm run soak -- --only extract-fuzz --seed ${seed} --size ${PART}\n`);
      const result = await extractFuzzSoak.run({ random: makeRandom(seed), size: PART, report: () => undefined });
      expect(result).toEqual({
        figures: expect.objectContaining({ pages: 300, files: 50 }) as Record<string, number>,
        violations: [],
      });
    },
    TIME_LIMIT_MS,
  );
});
