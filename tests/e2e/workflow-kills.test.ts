import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { makeRandom } from "../../tools/soak/random.ts";
import { workflowKillsSoak } from "../../tools/soak/workflow-kills.ts";

const seed = randomInt(2 ** 31);

verifies(
  "durability:workflows:survive-kill",
  `workflows killed in the middle go on and end once, as in peace (seed ${seed})`,
  async () => {
    const random = makeRandom(seed);
    const { violations } = await workflowKillsSoak.run({ random, size: 0.05, report: () => undefined });
    expect(violations).toEqual([]);
  },
  240_000,
);
