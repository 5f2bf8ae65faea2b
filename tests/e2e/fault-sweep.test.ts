import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { faultSweepSoak } from "../../tools/soak/fault-sweep.ts";
import { makeRandom } from "../../tools/soak/random.ts";

it("a full, broken or read-only disk and too few descriptors corrupt nothing, are said, and are recovered from (5 % of the soak)", async () => {
  const seed = randomInt(2 ** 31);
  process.stdout.write(`fault-sweep: npm run soak -- --only fault-sweep --seed ${seed} --size 0.05\n`);
  const result = await faultSweepSoak.run({ random: makeRandom(seed), size: 0.05, report: () => undefined });
  expect(result.violations).toEqual([]);
  expect(result.figures["placesAtWork"]).toBeGreaterThan(20);
  expect(result.figures["met"]).toBeGreaterThan(0);
}, 400_000);
