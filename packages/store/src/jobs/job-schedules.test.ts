import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { deleteJobSchedule, enqueueDueSlots, listJobSchedules, setJobSchedule } from "./job-schedules.ts";
import { claimAll } from "./testing.ts";

const hourly = { name: "sweep", kind: "sweep", payload: { all: true }, pattern: "0 * * * *", timeZone: "UTC" };

async function slotsOf(db: Database): Promise<readonly (string | undefined)[]> {
  return (await claimAll(db, "sweep")).map(({ slot }) => slot?.at.toISOString());
}

describe("a schedule", () => {
  verifies("jobs:schedule:cron", "enqueues one job per slot", () =>
    withDatabase(async (db) => {
      await setJobSchedule(db, hourly, { now: new Date("2030-01-01T00:30:00Z") });
      expect(await enqueueDueSlots(db, { now: new Date("2030-01-01T00:59:59Z") })).toBe(1_000);
      expect(await slotsOf(db)).toEqual([]);
      expect(await enqueueDueSlots(db, { now: new Date("2030-01-01T01:00:00Z") })).toBe(3_600_000);
      expect(await enqueueDueSlots(db, { now: new Date("2030-01-01T01:00:01Z") })).toBe(3_599_000);
      const [job] = await claimAll(db, "sweep");
      expect(job).toMatchObject({
        payload: { all: true },
        slot: { schedule: "sweep", at: new Date("2030-01-01T01:00:00Z") },
      });
      await enqueueDueSlots(db, { now: new Date("2030-01-01T02:00:00Z") });
      expect(await slotsOf(db)).toEqual(["2030-01-01T02:00:00.000Z"]);
    }),
  );

  verifies("jobs:schedule:cron-once-among-many", "enqueues a slot once however many look", () =>
    withDatabase(
      async (db) => {
        await setJobSchedule(db, hourly, { now: new Date("2030-01-01T00:30:00Z") });
        const now = new Date("2030-01-01T01:00:00Z");
        await Promise.all(Array.from({ length: 20 }, () => enqueueDueSlots(db, { now })));
        expect(await slotsOf(db)).toEqual(["2030-01-01T01:00:00.000Z"]);
      },
      { maxConnections: 20 },
    ),
  );

  it("runs once for all slots missed while nobody looked", () =>
    withDatabase(async (db) => {
      await setJobSchedule(db, hourly, { now: new Date("2030-01-01T00:30:00Z") });
      expect(await enqueueDueSlots(db, { now: new Date("2030-01-08T12:15:00Z") })).toBe(45 * 60_000);
      expect(await slotsOf(db)).toEqual(["2030-01-01T01:00:00.000Z"]);
    }));

  it("set again keeps a slot that is due, unless its time changes", () =>
    withDatabase(async (db) => {
      await setJobSchedule(db, hourly, { now: new Date("2030-01-01T00:30:00Z") });
      await setJobSchedule(db, { ...hourly, payload: "new" }, { now: new Date("2030-01-01T09:30:00Z") });
      expect(await listJobSchedules(db)).toEqual([
        { ...hourly, teamId: null, payload: "new", nextSlotAt: new Date("2030-01-01T01:00:00Z"), lastSlotAt: null },
      ]);
      const halfPast = { ...hourly, pattern: "30 * * * *" };
      await setJobSchedule(db, halfPast, { now: new Date("2030-01-01T09:45:00Z") });
      expect((await listJobSchedules(db))[0]?.nextSlotAt).toEqual(new Date("2030-01-01T10:30:00Z"));
    }));

  it("set again does not wait for a slot chosen while the clock was ahead", () =>
    withDatabase(async (db) => {
      await setJobSchedule(db, hourly, { now: new Date("2031-01-01T00:30:00Z") });
      await setJobSchedule(db, hourly, { now: new Date("2030-01-01T00:30:00Z") });
      expect((await listJobSchedules(db))[0]?.nextSlotAt).toEqual(new Date("2030-01-01T01:00:00Z"));
    }));

  it("passes over a slot that has its job already, since the clock was set back, and holds nobody up", () =>
    withDatabase(async (db) => {
      await setJobSchedule(db, hourly, { now: new Date("2030-01-01T00:30:00Z") });
      await enqueueDueSlots(db, { now: new Date("2030-01-01T01:00:00Z") });
      const earlier = { now: new Date("2030-01-01T00:40:00Z") };
      await deleteJobSchedule(db, "sweep");
      await setJobSchedule(db, hourly, earlier);
      await setJobSchedule(db, { ...hourly, name: "other" }, earlier);
      expect(await enqueueDueSlots(db, { now: new Date("2030-01-01T01:00:00Z") })).toBe(3_600_000);
      const slots = (await claimAll(db, "sweep")).map(({ slot }) => [slot?.schedule, slot?.at.toISOString()]);
      expect(slots).toEqual([
        ["sweep", "2030-01-01T01:00:00.000Z"],
        ["other", "2030-01-01T01:00:00.000Z"],
      ]);
      expect((await listJobSchedules(db)).map(({ nextSlotAt }) => nextSlotAt?.toISOString())).toEqual([
        "2030-01-01T02:00:00.000Z",
        "2030-01-01T02:00:00.000Z",
      ]);
    }));

  it("rests when its zone has become unknown, without holding up others", () =>
    withDatabase(async (db) => {
      const now = new Date("2030-01-01T00:30:00Z");
      await setJobSchedule(db, hourly, { now });
      await setJobSchedule(db, { ...hourly, name: "broken" }, { now });
      await db.query("UPDATE job_schedules SET time_zone = 'Mars/Base' WHERE name = 'broken'");
      await enqueueDueSlots(db, { now: new Date("2030-01-01T01:00:00Z") });
      expect(await slotsOf(db)).toHaveLength(2);
      expect((await listJobSchedules(db)).map(({ nextSlotAt }) => nextSlotAt)).toEqual([
        null,
        new Date("2030-01-01T02:00:00Z"),
      ]);
    }));

  it("is refused when it is malformed or never comes", () =>
    withDatabase(async (db) => {
      for (const pattern of ["every day", "0 0 30 2 *"]) {
        await expect(setJobSchedule(db, { ...hourly, pattern })).rejects.toMatchObject({
          code: "invalid_request",
          details: { field: "pattern" },
        });
      }
      expect(await listJobSchedules(db)).toEqual([]);
      expect(await enqueueDueSlots(db)).toBeUndefined();
    }));

  it("can be deleted", () =>
    withDatabase(async (db) => {
      await setJobSchedule(db, hourly);
      expect([await deleteJobSchedule(db, "sweep"), await deleteJobSchedule(db, "sweep")]).toEqual([true, false]);
    }));
});
