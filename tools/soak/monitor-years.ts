import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { enqueueDueSlots, migrate, openDatabase, setJobSchedule, startEmbeddedPostgres } from "@quarry/store";
import { countSlots, makeSlotPlans } from "./monitor-slots.ts";
import type { Soak } from "./soak.ts";

const SCHEDULES = 50;
const DAYS = 3_653;
const DAY_MS = 86_400_000;
const START = new Date("2026-01-01T00:00:00Z");

/**
 * Ten simulated years of 50 schedules in zones of every kind, on the real tables: the clock goes from slot to slot, and
 * now and then stands still for days. Each slot becomes one job; those of a standstill become one.
 */
export const monitorYearsSoak: Soak = {
  name: "monitor-years",
  run: async ({ random, size, report }) => {
    const plans = makeSlotPlans(random, SCHEDULES);
    const end = new Date(START.getTime() + Math.ceil(DAYS * size) * DAY_MS);
    const directory = await mkdtemp(path.join(tmpdir(), "quarry-soak-monitors-"));
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    const violations: string[] = [];
    let fired = 0;
    try {
      const db = await openDatabase({ address: server.address });
      try {
        await migrate(db, path.resolve("packages/store/migrations"));
        const slots = plans.map((plan) => countSlots(plan, START, end));
        for (const [index, { cron, timeZone }] of plans.entries()) {
          const schedule = { name: nameOf(index), kind: "soak", payload: null, pattern: cron, timeZone };
          await setJobSchedule(db, schedule, { now: START });
        }
        const moments = chooseMoments(
          [...new Set(slots.flat())].sort((a, b) => a - b),
          random.chance,
        );
        for (const [index, moment] of moments.entries()) {
          await enqueueDueSlots(db, { now: new Date(moment) });
          if (index % 5_000 === 0) report(new Date(moment).toISOString());
        }
        const jobs = await db.query<{ readonly name: string; readonly slot_at: Date }>(
          "SELECT schedule_name AS name, slot_at FROM jobs ORDER BY schedule_name, slot_at",
        );
        fired = jobs.length;
        for (const [index, plan] of plans.entries()) {
          const given = jobs.filter(({ name }) => name === nameOf(index)).map(({ slot_at: at }) => at.getTime());
          const expected = firstsOf(slots[index] ?? [], moments);
          if (given.join() !== expected.join()) {
            const missing = expected.find((at) => !given.includes(at)) ?? given.find((at) => !expected.includes(at));
            const where = missing === undefined ? "twice" : new Date(missing).toISOString();
            violations.push(
              `${plan.cron} in ${plan.timeZone}: ${given.length} of ${expected.length} slots, first fault ${where}`,
            );
          }
        }
      } finally {
        await db.close();
      }
    } finally {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
    return { figures: { schedules: plans.length, days: Math.ceil(DAYS * size), fired }, violations };
  },
};

function nameOf(index: number): string {
  return `plan-${String(index).padStart(3, "0")}`;
}

/** The moments at which someone looks: at most slots, but not while the clock stands still. */
function chooseMoments(slots: readonly number[], chance: (probability: number) => boolean): readonly number[] {
  const moments: number[] = [];
  let silentUntil = 0;
  for (const slot of slots) {
    if (slot < silentUntil) continue;
    if (chance(0.002)) silentUntil = slot + 3 * DAY_MS;
    else moments.push(slot);
  }
  const last = slots.at(-1);
  return last === undefined || moments.at(-1) === last ? moments : [...moments, last];
}

/** Of the slots between two looks, the first is the one that runs. */
function firstsOf(slots: readonly number[], moments: readonly number[]): readonly number[] {
  const firsts: number[] = [];
  let look = 0;
  let lastLook = -1;
  for (const slot of slots) {
    while (look < moments.length && (moments[look] ?? 0) < slot) look += 1;
    if (look >= moments.length || look === lastLook) continue;
    firsts.push(slot);
    lastLook = look;
  }
  return firsts;
}
