import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { makeRandom } from "../../tools/soak/random.ts";
import { searchFuzzSoak } from "../../tools/soak/search-fuzz.ts";

verifies(
  "search:bad-input:fuzz",
  "no request made from the published schemas breaks or hangs the server (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`search-fuzz: seed ${seed}\n`);
    const result = await searchFuzzSoak.run({ random: makeRandom(seed), size: 0.05, report: () => undefined });
    expect(result.violations).toEqual([]);
    expect(result.figures["status 200"]).toBeGreaterThan(50);
    expect(result.figures["status 400"]).toBeGreaterThan(50);
  },
  300_000,
);
