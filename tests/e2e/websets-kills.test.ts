import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { makeRandom } from "../../tools/soak/random.ts";
import { websetsKillsSoak } from "../../tools/soak/websets-kills.ts";

verifies(
  ["durability:websets:kills", "websets:status:idle-is-consistent"],
  "websets whose server is killed at any moment end idle, no item lost or doubled (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`websets-kills: seed ${seed}\n`);
    const result = await websetsKillsSoak.run({ random: makeRandom(seed), size: 0.05, report: () => undefined });
    expect(result.violations).toEqual([]);
  },
  300_000,
);
