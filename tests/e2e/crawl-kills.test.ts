import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { crawlKillsSoak } from "../../tools/soak/crawl-kills.ts";
import { makeRandom } from "../../tools/soak/random.ts";

verifies(
  [
    "durability:crawl:kill-no-page-lost",
    "crawl:frontier:in-store",
    "crawl:miniweb:slow-server",
    "crawl:miniweb:errors",
    "crawl:miniweb:redirect-loops",
    "crawl:miniweb:killed-20-times",
  ],
  "a crawl killed on its way through a web with faults ends with every page, each once (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`crawl-kills: seed ${seed}\n`);
    const result = await crawlKillsSoak.run({ random: makeRandom(seed), size: 0.05, report: () => undefined });
    expect(result.violations).toEqual([]);
    expect(result.figures["pages"]).toBeGreaterThan(200);
  },
  480_000,
);
