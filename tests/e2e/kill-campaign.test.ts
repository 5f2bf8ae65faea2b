import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { killCampaignSoak } from "../../tools/soak/kill-campaign.ts";
import { makeRandom } from "../../tools/soak/random.ts";

const PART = 0.05;

verifies(
  "promises:t1:kill-campaign",
  "a server killed while websets, crawls, research and webhooks work loses, doubles and jams nothing, and works again in 5 s (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`kill-campaign: npm run soak -- --only kill-campaign --seed ${seed} --size ${PART}\n`);
    const result = await killCampaignSoak.run({ random: makeRandom(seed), size: PART, report: () => undefined });
    expect(result.violations).toEqual([]);
    expect(result.figures["kills"]).toBe(10);
  },
  600_000,
);
