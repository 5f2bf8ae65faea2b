import { randomInt } from "node:crypto";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { Webhook } from "standardwebhooks";
import { expect, vi } from "vitest";
import { makeRandom } from "../../tools/soak/random.ts";
import { simulateDeliveries, type Inspect } from "../../tools/soak/webhook-simulation.ts";

const EVENTS = 1_000;
const TIME_LIMIT_MS = 240_000;

/** The published package, at the time the delivery was signed: it has no clock of its own to set. */
const inspectByPackage: Inspect = ({ headers, rawBody }, secret) => {
  const sentAt = Number(headers["webhook-timestamp"]) * 1_000;
  const spy = vi.spyOn(Date, "now").mockReturnValue(sentAt);
  try {
    new Webhook(secret).verify(rawBody, headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return `standardwebhooks: ${String(error)}`;
  } finally {
    spy.mockRestore();
  }
};

verifies(
  [
    "webhooks:proof:20k-events",
    "webhooks:proof:independent-verifier",
    "webhooks:proof:standardwebhooks",
    "webhooks:delivery:at-least-once",
    "webhooks:delivery:ordered-per-resource",
  ],
  "1,000 events reach receivers that fail half the time, hang, reset and redirect, in order and signed (5 % of the soak)",
  () =>
    withDatabase(async (db) => {
      const seed = randomInt(2 ** 31);
      process.stdout.write(
        `soak webhook-deliveries: npm run soak -- --only webhook-deliveries --seed ${seed} --size 0.05\n`,
      );
      const result = await simulateDeliveries(db, {
        count: EVENTS,
        flaky: 1,
        random: makeRandom(seed),
        inspect: inspectByPackage,
      });
      expect(result).toMatchObject({ figures: { events: EVENTS }, violations: [] });
      expect(result.figures["requests"]).toBeGreaterThan(EVENTS * 2.5); // two webhooks, one of which fails half the time
    }),
  TIME_LIMIT_MS,
);
