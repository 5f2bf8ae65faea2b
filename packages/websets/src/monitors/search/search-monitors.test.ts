import { makeId } from "@quarry/base";
import { createSearchMonitorSchema, updateSearchMonitorSchema } from "@quarry/contract";
import type { SearchDeps } from "@quarry/search";
import {
  createKey,
  ensureFirstTeam,
  findWebhookOf,
  getSearchMonitor,
  listEvents,
  listSearchMonitorRuns,
  revokeKey,
  SEARCH_MONITOR_RUN_JOB,
  SEARCH_MONITOR_SLOT_JOB,
  type Database,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { runDueJobs } from "../../testing/run-jobs.ts";
import { createSearchMonitorRunHandler, createSearchMonitorSlotHandler } from "./search-monitor-jobs.ts";
import {
  beginSearchMonitor,
  removeSearchMonitor,
  SEARCH_MONITOR_RESOURCE,
  updateSearchMonitor,
  type SearchMonitorDeps,
} from "./search-monitor-service.ts";

interface World {
  readonly db: Database;
  readonly deps: SearchMonitorDeps;
  readonly teamId: string;
  readonly keyId: string;
  readonly begin: (change?: Record<string, unknown>) => Promise<string>;
  readonly at: (moment: string) => Promise<void>;
  readonly runs: (id: string) => Promise<readonly (string | null)[]>;
}

const signal = new AbortController().signal;

function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  return withDatabase(async (db) => {
    let now = new Date("2026-03-01T12:10:00Z");
    const { teamId } = await ensureFirstTeam(db, { now });
    const { key } = await createKey(db, teamId, { name: "watcher", scopes: ["all"] }, now);
    const deps = { database: db, clock: { now: () => now }, checkWebhookUrl: () => Promise.resolve() };
    // A search that breaks by itself: these tests are about what happens around it.
    const search = {} as SearchDeps;
    const handlers = {
      [SEARCH_MONITOR_SLOT_JOB]: createSearchMonitorSlotHandler(deps),
      [SEARCH_MONITOR_RUN_JOB]: createSearchMonitorRunHandler({ ...deps, search }),
    };
    await use({
      db,
      deps,
      teamId,
      keyId: key.id,
      begin: async (change = {}) => {
        const wish = createSearchMonitorSchema.parse({
          search: { query: "robots" },
          trigger: { type: "interval", period: "6h" },
          webhook: { url: "https://example.com/hook" },
          ...change,
        });
        const owner = { id: makeId("monitor", now), webhookId: makeId("webhook", now), teamId, keyId: key.id };
        return (await beginSearchMonitor(deps, wish, owner, signal)).monitor.id;
      },
      at: async (moment) => {
        now = new Date(moment);
        await runDueJobs(db, handlers, now);
      },
      runs: async (id) =>
        (await listSearchMonitorRuns(db, id, { limit: 100 })).data.map(({ failReason }) => failReason),
    });
  });
}

describe("a search monitor", () => {
  it("runs at whole periods from its creation, once for all it missed, and not while it is paused", () =>
    withWorld(async (world) => {
      const id = await world.begin();
      const nextOf = async () => (await getSearchMonitor(world.db, world.teamId, id)).nextRunAt?.toISOString();
      expect(await nextOf()).toBe("2026-03-01T18:10:00.000Z");
      await world.at("2026-03-01T18:09:59Z");
      expect(await world.runs(id)).toHaveLength(0);
      await world.at("2026-03-01T18:10:00Z");
      await world.at("2026-03-01T18:10:01Z");
      expect(await world.runs(id)).toHaveLength(1);
      await world.at("2026-03-05T20:00:00Z");
      expect([(await world.runs(id)).length, await nextOf()]).toEqual([2, "2026-03-06T00:10:00.000Z"]);
      const change = (body: object) =>
        updateSearchMonitor(world.deps, { teamId: world.teamId, id }, updateSearchMonitorSchema.parse(body), signal);
      expect((await change({ status: "paused" })).nextRunAt).toBeNull();
      await world.at("2026-03-07T20:00:00Z");
      expect(await world.runs(id)).toHaveLength(2);
      await change({ status: "active", trigger: { type: "interval", period: "1d" } });
      expect(await nextOf()).toBe("2026-03-08T12:10:00.000Z");
      await world.at("2026-03-08T12:10:00Z");
      expect(await world.runs(id)).toHaveLength(3);
    }));

  it("runs by a cron expression in its zone, also across a change of the clocks", () =>
    withWorld(async (world) => {
      const cron = { type: "cron", expression: "30 9 * * *", timezone: "Europe/Berlin" };
      const id = await world.begin({ trigger: cron });
      const nextOf = async () => (await getSearchMonitor(world.db, world.teamId, id)).nextRunAt?.toISOString();
      expect(await nextOf()).toBe("2026-03-02T08:30:00.000Z");
      await world.at("2026-03-02T08:30:00Z");
      expect([(await world.runs(id)).length, await nextOf()]).toEqual([1, "2026-03-03T08:30:00.000Z"]);
      await world.at("2026-03-28T12:00:00Z");
      expect([(await world.runs(id)).length, await nextOf()]).toEqual([2, "2026-03-29T07:30:00.000Z"]);
      const hourly = await world.begin({ trigger: { type: "cron", expression: "5 * * * *" } });
      expect((await getSearchMonitor(world.db, world.teamId, hourly)).trigger).toEqual({
        type: "cron",
        expression: "5 * * * *",
        timezone: "Etc/UTC",
      });
      for (const [trigger, message] of [
        [
          { ...cron, expression: "*/5 9 * * *" },
          'trigger.expression: the minute field "*/5" comes more than once an hour',
        ],
        [{ ...cron, expression: "0 9 * *" }, "trigger.expression: expected five fields"],
        [{ ...cron, expression: "0 25 * * *" }, 'trigger.expression: the hour field "25" is wrong'],
        [{ ...cron, timezone: "Mars/Olympus" }, 'trigger.timezone: "Mars/Olympus" is no IANA time zone'],
      ] as const) {
        await expect(world.begin({ trigger })).rejects.toThrow(message);
      }
    }));

  verifies(
    ["search-monitors:disabled:after-auth-failures", "search-monitors:runs:fail-reason"],
    "says why a run failed, and is disabled after ten runs in a row whose key no longer counts",
    () =>
      withWorld(async (world) => {
        const id = await world.begin({ trigger: { type: "interval", period: "1h" } });
        await world.at("2026-03-01T13:10:00Z");
        expect(await world.runs(id)).toEqual(["internal_error"]);
        await revokeKey(world.db, world.teamId, world.keyId, { now: new Date(), evenIfLast: true });
        for (let hour = 14; hour <= 22; hour += 1) await world.at(`2026-03-01T${hour}:10:00Z`);
        expect(await getSearchMonitor(world.db, world.teamId, id)).toMatchObject({
          status: "active",
          authenticationFailures: 9,
        });
        await world.at("2026-03-01T23:10:00Z");
        expect(await getSearchMonitor(world.db, world.teamId, id)).toMatchObject({
          status: "disabled",
          nextRunAt: null,
        });
        expect(await world.runs(id)).toEqual([...Array<string>(10).fill("api_key_invalid"), "internal_error"]);
        await world.at("2026-03-05T23:10:00Z");
        expect(await world.runs(id)).toHaveLength(11);
      }),
  );

  it("tells its own webhook, and goes with a last word", () =>
    withWorld(async (world) => {
      const id = await world.begin();
      const resource = { kind: SEARCH_MONITOR_RESOURCE, id };
      expect(await findWebhookOf(world.db, world.teamId, resource)).toMatchObject({ status: "active" });
      await removeSearchMonitor(world.deps, world.teamId, id);
      await world.at("2026-03-02T00:00:00Z");
      expect(await findWebhookOf(world.db, world.teamId, resource)).toMatchObject({ status: "inactive" });
      const { data } = await listEvents(world.db, { teamId: world.teamId, resource, limit: 10 });
      expect(data.map(({ type }) => type)).toEqual(["monitor.created", "monitor.deleted"]);
      const waiting = await world.db.query("SELECT FROM webhook_deliveries");
      expect(waiting).toHaveLength(2);
    }));
});
