import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { makeRandom } from "../../tools/soak/random.ts";
import { serverKillsSoak } from "../../tools/soak/server-kills.ts";

verifies(
  ["durability:kill:at-any-moment", "store:embedded:attach-after-kill"],
  "a server killed at any moment has all it acknowledged, once (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`server-kills: seed ${seed}\n`);
    const result = await serverKillsSoak.run({ random: makeRandom(seed), size: 0.05, report: () => undefined });
    expect(result.violations).toEqual([]);
    expect(result.figures["acknowledged"]).toBeGreaterThan(0);
  },
  180_000,
);
