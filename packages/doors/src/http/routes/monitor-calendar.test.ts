import { changeMonitor, createMonitor, createMonitorRun, insertWebset, moveMonitorRunBy } from "@quarry/store";
import { expect, it } from "vitest";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { monitorCalendarRoutes } from "./monitor-calendar.ts";

const NOW = new Date("2026-03-10T12:00:00.000Z");

/** A webset with a daily monitor that ran yesterday and failed today, and one that rests. */
async function makeMonitors({ db, teamId }: HttpWorld): Promise<void> {
  await db.transaction(async (tx) => {
    const caps = { caps: {}, excludes: [], imports: [], metadata: {}, title: null, externalId: null };
    await insertWebset(tx, { id: "webset_1", teamId, ...caps }, NOW);
    const shared = { teamId, websetId: "webset_1", timeZone: "Etc/UTC", metadata: {} };
    const behavior = { type: "search", config: { count: 5 } } as const;
    const { monitor } = await createMonitor(tx, { ...shared, id: "monitor_1", cron: "0 9 * * *", behavior }, NOW);
    await createMonitor(tx, { ...shared, id: "monitor_2", cron: "0 10 * * *", behavior }, NOW);
    await changeMonitor(tx, teamId, "monitor_2", { status: "disabled" }, NOW);
    for (const [id, at] of [
      ["run_1", "2026-03-09T09:00:00.000Z"],
      ["run_2", "2026-03-10T09:00:00.000Z"],
    ] as const) {
      await createMonitorRun(tx, { id, monitor, type: "search", slotAt: new Date(at) }, new Date(at));
      await moveMonitorRunBy(tx, id, { move: "start", now: new Date(at) });
    }
    await moveMonitorRunBy(tx, "run_1", { move: "complete", now: NOW });
    await moveMonitorRunBy(tx, "run_2", { move: "fail", reason: "the index was away", now: NOW });
  });
}

function withCalendar(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  return withHttpApp(
    async (world) => {
      await makeMonitors(world);
      await work(world);
    },
    ({ db }) => ({
      routes: monitorCalendarRoutes({
        database: db,
        clock: { now: () => NOW },
        settleWebset: () => Promise.resolve(),
      }),
    }),
  );
}

const path = (from: string, to: string): string => `/quarry/v1/monitor-calendar?from=${from}&to=${to}`;

it("lists the runs that were and those to come, of monitors that are enabled, between two moments", () =>
  withCalendar(async ({ call, makeKey, makeTeam }) => {
    const address = path("2026-03-09T00:00:00Z", "2026-03-12T23:00:00Z");
    const shared = { monitorId: "monitor_1", websetId: "webset_1", type: "search" };
    expect((await call("GET", address)).json()).toEqual({
      data: [
        { ...shared, at: "2026-03-09T09:00:00.000Z", status: "completed", runId: "run_1", reason: null },
        { ...shared, at: "2026-03-10T09:00:00.000Z", status: "failed", runId: "run_2", reason: "the index was away" },
        { ...shared, at: "2026-03-11T09:00:00.000Z", status: "next", runId: null, reason: null },
        { ...shared, at: "2026-03-12T09:00:00.000Z", status: "next", runId: null, reason: null },
      ],
    });
    const { secret } = await makeKey({ teamId: await makeTeam() });
    expect((await call("GET", address, { key: secret })).json()).toEqual({ data: [] });
    for (const [from, to] of [
      ["2026-03-09T00:00:00Z", "2026-03-09T00:00:00Z"],
      ["2026-03-09T00:00:00Z", "2026-09-09T00:00:00Z"],
      ["yesterday", "2026-03-09T00:00:00Z"],
    ] as const) {
      expect((await call("GET", path(from, to))).statusCode).toBe(400);
    }
  }));
