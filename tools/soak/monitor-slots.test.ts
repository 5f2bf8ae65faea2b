import { randomInt } from "node:crypto";
import { nextSlot } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { countSlots, makeSlotPlans } from "./monitor-slots.ts";
import { makeRandom } from "./random.ts";

const seed = randomInt(2 ** 31);
const START = new Date("2026-01-01T00:00:00Z");

it("counts days that were looked up by hand", () => {
  const daily = { cron: "", timeZone: "Europe/Berlin", minute: 30, hour: 2, fallsOn: () => true };
  const shown = countSlots(daily, new Date("2026-03-28T00:00Z"), new Date("2026-03-30T12:00Z"));
  expect(shown.map((at) => new Date(at).toISOString())).toEqual([
    "2026-03-28T01:30:00.000Z",
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ]);
});

verifies(
  "monitors:schedule:each-slot-once",
  `half a year of 50 schedules has each slot once, whatever the clocks do (seed ${seed})`,
  () => {
    const end = new Date(START.getTime() + 183 * 86_400_000);
    for (const plan of makeSlotPlans(makeRandom(seed), 50)) {
      const expected = countSlots(plan, START, end);
      const given: number[] = [];
      for (let at = START; ;) {
        const next = nextSlot({ pattern: plan.cron, timeZone: plan.timeZone }, at);
        if (next === undefined || next > end) break;
        given.push(next.getTime());
        at = next;
      }
      expect({ plan: plan.cron, zone: plan.timeZone, given: given.map(show) }).toEqual({
        plan: plan.cron,
        zone: plan.timeZone,
        given: expected.map(show),
      });
    }
  },
);

function show(at: number): string {
  return new Date(at).toISOString();
}
