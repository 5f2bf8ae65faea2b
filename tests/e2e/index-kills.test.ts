import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { indexKillsSoak } from "../../tools/soak/index-kills.ts";
import { makeRandom } from "../../tools/soak/random.ts";

const seed = randomInt(2 ** 31);

verifies(
  ["durability:index:acknowledged-survives", "durability:index:reconciled", "durability:index:not-embedded-twice"],
  `finds every acknowledged document after kill -9, once, and embeds nothing again (seed ${seed})`,
  async () => {
    const { violations, figures } = await indexKillsSoak.run({
      random: makeRandom(seed),
      size: 0.05,
      report: () => undefined,
    });
    expect(violations).toEqual([]);
    expect(figures["documents"]).toBeGreaterThan(10);
  },
  240_000,
);
