import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { makeRandom } from "../../tools/soak/random.ts";
import { upgradeKillsSoak } from "../../tools/soak/upgrade-kills.ts";

const PART = 0.06;

verifies(
  "promises:t7:upgrade",
  "an upgrade killed at a random moment, from any schema with rows in its tables, ends like one that nobody killed (6 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`upgrade-kills: npm run soak -- --only upgrade-kills --seed ${seed} --size ${PART}\n`);
    const result = await upgradeKillsSoak.run({ random: makeRandom(seed), size: PART, report: () => undefined });
    expect(result.violations).toEqual([]);
    expect(result.figures["kills"]).toBe(3);
  },
  300_000,
);
