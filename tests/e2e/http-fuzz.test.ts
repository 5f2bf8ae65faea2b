import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { httpFuzzSoak } from "../../tools/soak/http-fuzz.ts";
import { makeRandom } from "../../tools/soak/random.ts";

it("no request made from the API page breaks the server or shows its inside (5 % of the soak)", async () => {
  const seed = randomInt(2 ** 31);
  process.stdout.write(`http-fuzz: seed ${seed}\n`);
  const result = await httpFuzzSoak.run({ random: makeRandom(seed), size: 0.05, report: () => undefined });
  expect(result.violations).toEqual([]);
  expect(result.figures["status 200"]).toBeGreaterThan(50);
  expect(result.figures["status 400"]).toBeGreaterThan(50);
}, 400_000);
