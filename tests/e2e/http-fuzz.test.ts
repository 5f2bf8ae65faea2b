import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { httpFuzzSoak } from "../../tools/soak/http-fuzz.ts";
import { makeRandom } from "../../tools/soak/random.ts";

verifies(
  "promises:t17:http-fuzz",
  "no request made from the API page breaks the server or shows its inside (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`http-fuzz: npm run soak -- --only http-fuzz --seed ${seed} --size 0.05\n`);
    const result = await httpFuzzSoak.run({ random: makeRandom(seed), size: 0.05, report: () => undefined });
    expect(result.violations).toEqual([]);
    expect(result.figures["status 200"]).toBeGreaterThan(250);
    expect(result.figures["status 400"]).toBeGreaterThan(250);
  },
  400_000,
);
