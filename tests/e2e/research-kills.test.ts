import { randomInt } from "node:crypto";
import { describeData } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { makeRandom } from "../../tools/soak/random.ts";
import { researchKillsSoak } from "../../tools/soak/research-kills.ts";

describeData("miniweb-git-htmldocs", () => {
  verifies(
    [
      "research:proof:three-pages",
      "research:proof:killed-ten-times",
      "research:proof:each-operation-once",
      "promises:t30:citations",
      "durability:research:resumes",
      "durability:research:no-event-twice",
      "durability:research:no-operation-paid-twice",
    ],
    "research that needs three pages of the Git manual ends the same under kill -9, with a model and without (10 % of the soak)",
    async () => {
      const seed = randomInt(2 ** 31);
      process.stdout.write(`research-kills: seed ${seed}\n`);
      const result = await researchKillsSoak.run({ random: makeRandom(seed), size: 0.1, report: () => undefined });
      expect(result.violations).toEqual([]);
      expect(result.figures["model: asked of the model"]).toBeGreaterThan(4);
    },
    600_000,
  );
});
