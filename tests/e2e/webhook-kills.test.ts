import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { makeRandom } from "../../tools/soak/random.ts";
import { webhookKillsSoak } from "../../tools/soak/webhook-kills.ts";

const PART = 0.05;

verifies(
  ["webhooks:delivery:at-least-once", "durability:webhooks:kills"],
  "a sender killed on its way loses no event and keeps the order (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`soak webhook-kills: npm run soak -- --only webhook-kills --seed ${seed} --size ${PART}\n`);
    const result = await webhookKillsSoak.run({ random: makeRandom(seed), size: PART, report: () => undefined });
    expect(result).toMatchObject({ figures: { kills: 3, events: 120 }, violations: [] });
  },
  120_000,
);
