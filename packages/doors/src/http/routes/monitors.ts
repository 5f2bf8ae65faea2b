import {
  createMonitorSchema,
  listMonitorRunsQuerySchema,
  listMonitorsQuerySchema,
  monitorRunSchema,
  monitorSchema,
  pageOf,
  updateMonitorSchema,
} from "@quarry/contract";
import { findWebset, getMonitor, getMonitorRun, listMonitorRuns, listMonitors } from "@quarry/store";
import {
  beginMonitor,
  removeMonitor,
  showMonitor,
  showMonitorRun,
  triggerMonitor,
  updateMonitor,
  type MonitorDeps,
} from "@quarry/websets";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { monitorCalendarRoutes } from "./monitor-calendar.ts";

const params = z.object({ id: z.string().describe("The monitor's id.") });
const runsParams = z.object({ monitor: z.string().describe("The monitor's id.") });
const shared = { tag: "Monitors", access: "websets" } as const;

/** Monitors: websets kept up to date by themselves, and their runs. */
export function monitorRoutes(deps: MonitorDeps): readonly Route[] {
  const { database } = deps;
  return [
    ...monitorCalendarRoutes(deps),
    defineRoute({
      ...shared,
      name: "createMonitor",
      method: "POST",
      path: "/websets/v0/monitors",
      summary: "Keep a webset up to date by a schedule",
      description:
        "A run searches for new items, which it appends unless told to override, or reads what is there again. The schedule " +
        "comes at most once a day; a slot missed while the server was down runs once when it is back.",
      status: 201,
      creates: true,
      meter: "websets",
      body: createMonitorSchema,
      response: monitorSchema,
      handle: async ({ body }, { caller, newId }) =>
        showMonitor(await beginMonitor(deps, body, { id: newId("monitor"), teamId: caller.teamId })),
    }),
    defineRoute({
      ...shared,
      name: "listMonitors",
      method: "GET",
      path: "/websets/v0/monitors",
      summary: "List the team's monitors, newest first",
      query: listMonitorsQuerySchema,
      response: pageOf(monitorSchema),
      handle: async ({ query }, { caller }) => {
        const { websetId: reference, ...paging } = query;
        const webset = reference === undefined ? undefined : await findWebset(database, caller.teamId, reference);
        const page = await listMonitors(database, caller.teamId, { ...paging, websetId: webset?.id ?? reference });
        return { ...page, data: page.data.map(showMonitor) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getMonitor",
      method: "GET",
      path: "/websets/v0/monitors/:id",
      summary: "Read a monitor",
      params,
      response: monitorSchema,
      handle: async ({ params: { id } }, { caller }) => showMonitor(await getMonitor(database, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "updateMonitor",
      method: "PATCH",
      path: "/websets/v0/monitors/:id",
      summary: "Change a monitor: enabled or disabled, when it runs, what a run does",
      params,
      body: updateMonitorSchema,
      response: monitorSchema,
      handle: async ({ params: { id }, body }, { caller }) =>
        showMonitor(await updateMonitor(deps, caller.teamId, id, body)),
    }),
    defineRoute({
      ...shared,
      name: "deleteMonitor",
      method: "DELETE",
      path: "/websets/v0/monitors/:id",
      summary: "Delete a monitor and its runs",
      params,
      response: monitorSchema,
      handle: async ({ params: { id } }, { caller }) => showMonitor(await removeMonitor(deps, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "triggerMonitor",
      method: "POST",
      path: "/quarry/v1/monitors/:id/trigger",
      summary: "Run a monitor now, beside its schedule",
      params,
      status: 201,
      creates: true,
      meter: "websets",
      response: monitorRunSchema,
      handle: async ({ params: { id: monitorId } }, { caller: { teamId }, newId }) =>
        showMonitorRun(await triggerMonitor(deps, { teamId, monitorId, runId: newId("monitor_run") })),
    }),
    defineRoute({
      ...shared,
      name: "listMonitorRuns",
      method: "GET",
      path: "/websets/v0/monitors/:monitor/runs",
      summary: "List a monitor's runs, newest first; none for a monitor that is not there",
      params: runsParams,
      query: listMonitorRunsQuerySchema,
      response: pageOf(monitorRunSchema),
      handle: async ({ params: { monitor }, query }, { caller }) => {
        const page = await listMonitorRuns(database, caller.teamId, monitor, query);
        return { ...page, data: page.data.map(showMonitorRun) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getMonitorRun",
      method: "GET",
      path: "/websets/v0/monitors/:monitor/runs/:id",
      summary: "Read a run of a monitor",
      params: runsParams.extend({ id: z.string().describe("The run's id.") }),
      response: monitorRunSchema,
      handle: async ({ params: { monitor, id } }, { caller }) =>
        showMonitorRun(await getMonitorRun(database, caller.teamId, monitor, id)),
    }),
  ];
}
