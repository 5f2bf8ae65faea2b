import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { livingKillsSoak } from "../../tools/soak/living-kills.ts";
import { makeRandom } from "../../tools/soak/random.ts";

const seed = randomInt(2 ** 31);

verifies(
  ["durability:import:kill-exact-counts", "durability:export:kill-exact-counts"],
  `an import and exports killed in the middle end complete, every row once (seed ${seed})`,
  async () => {
    const random = makeRandom(seed);
    const { violations } = await livingKillsSoak.run({ random, size: 0.05, report: () => undefined });
    expect(violations).toEqual([]);
  },
  240_000,
);
