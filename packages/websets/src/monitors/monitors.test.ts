import { makeId } from "@quarry/base";
import { createMonitorSchema, updateMonitorSchema } from "@quarry/contract";
import {
  changeWebset,
  deleteWebset,
  ensureFirstTeam,
  getMonitor,
  insertWebset,
  insertWebsetEnrichment,
  insertWebsetItem,
  insertWebsetSearch,
  listEvents,
  listMonitorRuns,
  listWebsetSearches,
  lockWebset,
  MONITOR_RUN_JOB,
  MONITOR_SLOT_JOB,
  moveWebsetSearchBy,
  openWebsetCells,
  cancelOpenCells,
  type Database,
  type Monitor,
  type MonitorRun,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { runDueJobs } from "../testing/run-jobs.ts";
import type { MonitorSearch } from "./monitor-engine.ts";
import { createMonitorRunHandler, createMonitorSlotHandler, type MonitorJobDeps } from "./monitor-jobs.ts";
import {
  beginMonitor,
  removeMonitor,
  removeMonitorsOfWebset,
  triggerMonitor,
  updateMonitor,
} from "./monitor-service.ts";

interface World {
  readonly db: Database;
  readonly deps: MonitorJobDeps;
  readonly teamId: string;
  readonly websetId: string;
  readonly begun: MonitorSearch[];
  readonly settled: string[];
  readonly pagesRead: string[];
  /** Moves the clock to a moment and runs what is due. */
  readonly at: (moment: string) => Promise<void>;
  readonly monitor: (change?: Record<string, unknown>) => Promise<Monitor>;
  readonly runs: (monitor: Monitor) => Promise<readonly MonitorRun[]>;
  readonly endSearches: (move: "complete" | "cancel") => Promise<void>;
}

const DAILY = { cron: "0 9 * * *" };

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  await withDatabase(async (db) => {
    let now = new Date("2026-03-01T12:00:00Z");
    const { teamId } = await ensureFirstTeam(db, { now });
    const websetId = makeId("webset");
    const begun: MonitorSearch[] = [];
    const settled: string[] = [];
    const pagesRead: string[] = [];
    await db.transaction(async (tx) => {
      const webset = {
        id: websetId,
        teamId,
        externalId: "mine",
        title: "Mine",
        metadata: {},
        excludes: [],
        imports: [],
        caps: {},
      };
      await insertWebset(tx, webset, now);
      await insertWebsetSearch(
        tx,
        { ...searchRow(websetId, teamId), query: "AI labs", criteria: [{ description: "is a lab" }] },
        now,
      );
    });
    const deps: MonitorJobDeps = {
      database: db,
      clock: { now: () => now },
      settleWebset: (_tx, id) => Promise.resolve(void settled.push(id)),
      engine: {
        beginSearch: async (tx, webset, search, moment) => {
          if (search.query === "broken") throw new TypeError("the engine broke");
          begun.push(search);
          const { entity = null, criteria = [], ...rest } = search;
          const row = { ...searchRow(webset.id, webset.teamId), ...rest, entity, criteria };
          await insertWebsetSearch(tx, row, moment);
          return row.id;
        },
        refillCells: async (tx, webset, enrichmentIds, moment) => {
          await openWebsetCells(tx, { websetId: webset.id, enrichmentIds }, moment);
        },
        readPageNow: ({ url }) => {
          pagesRead.push(url);
          return Promise.resolve(undefined);
        },
      },
    };
    const handlers = {
      [MONITOR_SLOT_JOB]: createMonitorSlotHandler(deps),
      [MONITOR_RUN_JOB]: createMonitorRunHandler(deps),
    };
    await use({
      db,
      deps,
      teamId,
      websetId,
      begun,
      settled,
      pagesRead,
      at: async (moment) => {
        now = new Date(moment);
        await runDueJobs(db, handlers, now);
      },
      monitor: (change = {}) => {
        const wish = {
          websetId: "mine",
          cadence: DAILY,
          behavior: { type: "search", config: { count: 5 } },
          ...change,
        };
        return beginMonitor(deps, createMonitorSchema.parse(wish), { id: makeId("monitor", now), teamId });
      },
      runs: async ({ id }) => (await listMonitorRuns(db, teamId, id, { limit: 200 })).data,
      endSearches: (move) =>
        db.transaction(async (tx) => {
          for (const { id, status } of await listWebsetSearches(tx, websetId)) {
            if (status === "completed" || status === "canceled") continue;
            if (status === "created") await moveWebsetSearchBy(tx, id, { move: "start", now });
            await moveWebsetSearchBy(tx, id, { move, now });
          }
        }),
    });
  });
}

function searchRow(websetId: string, teamId: string) {
  return {
    id: makeId("wsearch"),
    websetId,
    teamId,
    query: "",
    entity: { type: "company" },
    count: 10,
    behavior: "override" as const,
    exclude: [],
    scope: [],
    maxPeoplePerCompany: null,
    wantsRecall: false,
    metadata: {},
  };
}

describe("a monitor", () => {
  verifies(
    [
      "monitors:run:last-search-parameters",
      "monitors:run:append-default",
      "monitors:run:states",
      "monitors:run:creates-search",
      "monitors:object:last-run",
      "monitors:object:next-run-at",
    ],
    "runs at its slot: a search like the last one is begun, and the run ends with it",
    () =>
      withWorld(async (world) => {
        const made = await world.monitor();
        expect(made).toMatchObject({ status: "enabled", lastRun: null, nextRunAt: new Date("2026-03-02T09:00:00Z") });
        await world.endSearches("complete");
        await world.at("2026-03-02T08:59:59Z");
        expect(await world.runs(made)).toEqual([]);
        await world.at("2026-03-02T09:00:00Z");
        expect(world.begun).toMatchObject([
          {
            query: "AI labs",
            criteria: [{ description: "is a lab" }],
            entity: { type: "company" },
            count: 5,
            behavior: "append",
          },
        ]);
        const searches = await listWebsetSearches(world.db, world.websetId);
        expect(await world.runs(made)).toMatchObject([
          {
            status: "running",
            type: "search",
            searchId: searches.at(-1)?.id,
            slotAt: new Date("2026-03-02T09:00:00Z"),
          },
        ]);
        await world.at("2026-03-02T09:05:00Z");
        expect((await world.runs(made))[0]?.status).toBe("running");
        await world.endSearches("complete");
        await world.at("2026-03-02T09:10:00Z");
        const read = await getMonitor(world.db, world.teamId, made.id);
        expect(read).toMatchObject({
          lastRun: { status: "completed", completedAt: new Date("2026-03-02T09:10:00Z") },
          nextRunAt: new Date("2026-03-03T09:00:00Z"),
        });
        expect(world.settled).toEqual([world.websetId]);
        const { data } = await listEvents(world.db, {
          teamId: world.teamId,
          resource: { kind: "monitor", id: made.id },
          limit: 10,
        });
        expect(data.map(({ type, data: told }) => [type, (told as { status: string }).status])).toEqual([
          ["monitor.created", "enabled"],
          ["monitor.run.created", "created"],
          ["monitor.run.completed", "completed"],
        ]);
      }),
  );

  verifies(
    ["monitors:run:override", "monitors:create:old-parameters-form", "monitors:create:behavior-search"],
    "may say what to search for, also in the form of 2025",
    () =>
      withWorld(async (world) => {
        const config = {
          parameters: {
            query: "chip makers",
            criteria: [{ description: "makes chips" }],
            entity: { type: "article" },
            count: 3,
          },
          behavior: "override",
        };
        await world.monitor({ behavior: { type: "search", config } });
        await world.at("2026-03-02T09:00:00Z");
        expect(world.begun).toMatchObject([
          {
            query: "chip makers",
            criteria: [{ description: "makes chips" }],
            entity: { type: "article" },
            count: 3,
            behavior: "override",
          },
        ]);
      }),
  );

  verifies("monitors:schedule:missed-runs-once", "runs once for all the slots it missed while nobody was there", () =>
    withWorld(async (world) => {
      const made = await world.monitor();
      await world.at("2026-03-09T15:00:00Z");
      expect(await world.runs(made)).toMatchObject([{ slotAt: new Date("2026-03-02T09:00:00Z") }]);
      await world.endSearches("complete");
      await world.at("2026-03-10T09:00:00Z");
      expect((await world.runs(made)).map(({ slotAt }) => slotAt?.toISOString())).toEqual([
        "2026-03-10T09:00:00.000Z",
        "2026-03-02T09:00:00.000Z",
      ]);
    }),
  );

  verifies(
    ["monitors:status:disable", "monitors:status:enable", "monitors:update:patch"],
    "does not run while it is disabled, and at its next slot once it is enabled",
    () =>
      withWorld(async (world) => {
        const made = await world.monitor();
        const change = (body: Record<string, unknown>) =>
          updateMonitor(world.deps, world.teamId, made.id, updateMonitorSchema.parse(body));
        expect(await change({ status: "disabled" })).toMatchObject({ status: "disabled", nextRunAt: null });
        await world.at("2026-03-05T10:00:00Z");
        expect(await world.runs(made)).toEqual([]);
        const cadence = { cron: "30 6 * * MON", timezone: "America/New_York" };
        const enabled = await change({ status: "enabled", cadence, metadata: { a: "b" } });
        expect(enabled).toMatchObject({
          cron: "30 6 * * MON",
          metadata: { a: "b" },
          nextRunAt: new Date("2026-03-09T10:30:00Z"),
        });
        await world.at("2026-03-09T10:30:00Z");
        expect(await world.runs(made)).toHaveLength(1);
        await expect(change({ cadence: { cron: "0 * * * *" } })).rejects.toThrow(/more than once a day/);
        expect((await getMonitor(world.db, world.teamId, made.id)).cron).toBe("30 6 * * MON");
      }),
  );

  verifies("monitors:schedule:paused-webset-skips", "skips its run on a paused webset, and records that", () =>
    withWorld(async (world) => {
      const made = await world.monitor();
      await world.db.transaction(async (tx) => {
        await lockWebset(tx, world.websetId);
        await changeWebset(tx, world.websetId, { pausedAt: new Date() }, new Date());
      });
      await world.at("2026-03-02T09:00:00Z");
      expect(world.begun).toEqual([]);
      expect(await world.runs(made)).toMatchObject([
        { status: "canceled", canceledReason: "webset_paused", canceledAt: new Date("2026-03-02T09:00:00Z") },
      ]);
    }),
  );

  verifies("monitors:run:failure-reason", "says why a run failed, or was ended", () =>
    withWorld(async (world) => {
      const ended = await world.monitor();
      await world.at("2026-03-02T09:00:00Z");
      await world.endSearches("cancel");
      await world.at("2026-03-02T10:00:00Z");
      expect(await world.runs(ended)).toMatchObject([{ status: "canceled", canceledReason: "search_canceled" }]);
      await removeMonitor(world.deps, world.teamId, ended.id);

      const broken = await world.monitor({ behavior: { type: "search", config: { query: "broken", count: 1 } } });
      await world.at("2026-03-03T09:00:00Z");
      expect(await world.runs(broken)).toMatchObject([{ status: "created" }]);
      for (let hour = 10; hour < 20; hour += 1) await world.at(`2026-03-03T${hour}:00:00Z`);
      expect(await world.runs(broken)).toMatchObject([
        { status: "failed", failedReason: expect.any(String) as string },
      ]);
      await world.db.query("DELETE FROM webset_searches");
      const empty = await world.monitor();
      await world.at("2026-03-04T09:00:00Z");
      expect(await world.runs(empty)).toMatchObject([
        { status: "failed", failedReason: "the webset has no search to repeat: give the monitor's behavior a query" },
      ]);
    }),
  );

  verifies("monitors:create:behavior-refresh", "refreshes cells or contents instead of searching", () =>
    withWorld(async (world) => {
      const { db, websetId, teamId } = world;
      const enrichmentIds = ["wenrich_a", "wenrich_b"];
      await db.transaction(async (tx) => {
        for (let count = 0; count < 19; count += 1) {
          const entity = { url: `https://company-${count}.example/`, properties: { type: "company" } };
          await insertWebsetItem(tx, { ...itemRow(websetId, teamId), entityKey: `k${count}`, entity }, new Date());
        }
        for (const id of enrichmentIds)
          await insertWebsetEnrichment(tx, enrichmentRow(id, websetId, teamId), new Date());
      });
      const refresh = (config: unknown) => world.monitor({ behavior: { type: "refresh", config } });
      const cells = await refresh({ target: "enrichments", enrichments: { ids: ["wenrich_b"] } });
      const contents = await refresh({ target: "contents" });
      const unknown = await refresh({ target: "enrichments", enrichments: { ids: ["wenrich_other"] } });
      await world.at("2026-03-02T09:00:00Z");
      const open = await db.query("SELECT FROM webset_cells WHERE enrichment_id = 'wenrich_b' AND status = 'pending'");
      expect([open.length, (await world.runs(cells))[0]?.status]).toEqual([19, "running"]);
      expect(await world.runs(unknown)).toMatchObject([{ status: "failed", type: "refresh" }]);
      for (let minute = 10; minute < 20; minute += 1) await world.at(`2026-03-02T09:${minute}:00Z`);
      expect((await world.runs(contents))[0]?.status).toBe("completed");
      expect(new Set(world.pagesRead).size).toBe(19);
      await db.transaction((tx) => cancelOpenCells(tx, { websetId }, new Date()));
      await world.at("2026-03-02T10:00:00Z");
      expect((await world.runs(cells))[0]?.status).toBe("completed");
    }),
  );

  verifies(
    ["monitors:schedule:dst", "monitors:create:timezone", "monitors:create:timezone-default"],
    "keeps to its local time when the clocks change, one run a day",
    () =>
      withWorld(async (world) => {
        const plain = await world.monitor({ cadence: { cron: "30 2 * * *" } });
        const berlin = await world.monitor({ cadence: { cron: "30 2 * * *", timezone: "Europe/Berlin" } });
        expect([plain.timeZone, berlin.timeZone]).toEqual(["Etc/UTC", "Europe/Berlin"]);
        for (const moment of [
          "27T01:30",
          "28T01:30",
          "29T00:59",
          "29T01:00",
          "29T02:00",
          "30T00:29",
          "30T00:30",
          "30T01:30",
        ]) {
          await world.at(`2026-03-${moment}:00Z`);
        }
        const slots = (await world.runs(berlin)).map(({ slotAt }) => slotAt?.toISOString().slice(5, 16)).reverse();
        // On 29 March 02:30 does not exist in Berlin: the run comes when the clocks jump to 03:00, which is 01:00 UTC.
        expect(slots).toEqual(["03-02T01:30", "03-28T01:30", "03-29T01:00", "03-30T00:30"]);
        await expect(world.monitor({ cadence: { cron: "0 9 * * *", timezone: "Berlin" } })).rejects.toThrow(/timezone/);
      }),
  );

  verifies("monitors:create:unknown-webset", "is refused for a webset that is not there, or another team's", () =>
    withWorld(async (world) => {
      await expect(world.monitor({ websetId: "webset_none" })).rejects.toMatchObject({ code: "not_found" });
      const wish = createMonitorSchema.parse({
        websetId: "mine",
        cadence: DAILY,
        behavior: { type: "search", config: { count: 1 } },
      });
      const foreign = beginMonitor(world.deps, wish, { id: makeId("monitor"), teamId: "team_other" });
      await expect(foreign).rejects.toMatchObject({ code: "not_found" });
      const schedules = await world.db.query("SELECT FROM job_schedules WHERE name LIKE 'monitor:%'");
      expect(schedules).toEqual([]);
    }),
  );

  it("goes with its webset, and says so", () =>
    withWorld(async (world) => {
      const made = await world.monitor();
      await world.db.transaction(async (tx) => {
        await removeMonitorsOfWebset(tx, world.websetId, new Date());
        await deleteWebset(tx, world.websetId);
      });
      await expect(getMonitor(world.db, world.teamId, made.id)).rejects.toMatchObject({ code: "not_found" });
      expect(await world.db.query("SELECT FROM job_schedules WHERE name LIKE 'monitor:%'")).toEqual([]);
      const resource = { kind: "monitor", id: made.id };
      const { data } = await listEvents(world.db, { teamId: world.teamId, resource, limit: 10 });
      expect(data.map(({ type }) => type)).toEqual(["monitor.created", "monitor.deleted"]);
    }));

  it("can be triggered beside its schedule, and leaves nothing behind when it is deleted", () =>
    withWorld(async (world) => {
      const made = await world.monitor();
      const wish = { teamId: world.teamId, monitorId: made.id, runId: makeId("monitor_run") };
      const run = await triggerMonitor(world.deps, wish);
      expect(await triggerMonitor(world.deps, wish)).toEqual(run); // tried again, as after a crash
      await world.at("2026-03-01T12:00:01Z");
      expect(await world.runs(made)).toMatchObject([{ status: "running", slotAt: null }]);
      expect(await world.db.query("SELECT kind FROM webset_work")).toHaveLength(1); // so the webset runs
      await removeMonitor(world.deps, world.teamId, made.id);
      await world.at("2026-03-09T12:00:00Z");
      for (const table of ["monitors", "monitor_runs", "webset_work"]) {
        expect(await world.db.query(`SELECT FROM ${table}`)).toEqual([]);
      }
      expect(await world.db.query("SELECT FROM job_schedules WHERE name LIKE 'monitor:%'")).toEqual([]);
    }));
});

function itemRow(websetId: string, teamId: string) {
  return {
    id: makeId("witem"),
    websetId,
    teamId,
    identities: [],
    groupKey: null,
    source: "search" as const,
    sourceId: "wsearch_1",
    sourceEntityId: null,
    scopeId: null,
    contentSnapshotId: null,
    contentExtractorVersion: null,
    evaluations: [],
  };
}

function enrichmentRow(id: string, websetId: string, teamId: string) {
  return {
    id,
    websetId,
    teamId,
    title: null,
    description: "Address",
    format: "url" as const,
    options: null,
    instructions: null,
    metadata: {},
  };
}
