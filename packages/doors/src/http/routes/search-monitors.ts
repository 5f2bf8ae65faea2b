import { AppError } from "@quarry/base";
import {
  batchSearchMonitorsReplySchema,
  batchSearchMonitorsSchema,
  createdSearchMonitorSchema,
  createSearchMonitorSchema,
  listSearchMonitorRunsQuerySchema,
  listSearchMonitorsQuerySchema,
  pageOf,
  searchMonitorRunSchema,
  searchMonitorSchema,
  updateSearchMonitorSchema,
} from "@quarry/contract";
import { findSearchMonitorRun, getSearchMonitor, listSearchMonitorRuns, listSearchMonitors } from "@quarry/store";
import {
  batchSearchMonitors,
  beginSearchMonitor,
  removeSearchMonitor,
  showSearchMonitor,
  showSearchMonitorRun,
  triggerSearchMonitor,
  updateSearchMonitor,
  type SearchMonitorDeps,
} from "@quarry/websets";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

const params = z.object({ id: z.string().describe("The monitor's id.") });
const shared = { tag: "Search monitors", access: "websets" } as const;

/** Searches that repeat themselves and send what is new to a webhook. */
export function searchMonitorRoutes(deps: SearchMonitorDeps): readonly Route[] {
  const { database } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createSearchMonitor",
      method: "POST",
      path: "/monitors",
      summary: "Repeat a search, and send its new results to a webhook",
      description: "The reply shows the secret that signs what the webhook gets; it is not shown again.",
      status: 201,
      creates: "secret",
      meter: "websets",
      body: createSearchMonitorSchema,
      response: createdSearchMonitorSchema,
      handle: async ({ body }, { caller, newId, signal }) => {
        const owner = {
          id: newId("monitor"),
          webhookId: newId("webhook"),
          teamId: caller.teamId,
          keyId: caller.keyId,
        };
        const { monitor, webhookSecret } = await beginSearchMonitor(deps, body, owner, signal);
        return { ...showSearchMonitor(monitor), webhookSecret };
      },
    }),
    defineRoute({
      ...shared,
      name: "batchSearchMonitors",
      method: "POST",
      path: "/monitors/batch",
      summary: "Delete, pause or unpause the monitors that a filter names; only tells which unless dry_run is false",
      body: batchSearchMonitorsSchema,
      response: batchSearchMonitorsReplySchema,
      handle: async ({ body }, { caller }) => {
        const { ids, hasMore } = await batchSearchMonitors(deps, caller.teamId, body);
        return { action: body.action, affected: ids.length, ids: [...ids], dry_run: body.dry_run, has_more: hasMore };
      },
    }),
    defineRoute({
      ...shared,
      name: "listSearchMonitors",
      method: "GET",
      path: "/monitors",
      summary: "List the team's search monitors, newest first",
      description: "status, name and metadata[key]=value narrow the list.",
      query: listSearchMonitorsQuerySchema,
      response: pageOf(searchMonitorSchema),
      handle: async ({ query }, { caller }) => {
        const { cursor, limit, status, name, ...rest } = query;
        const metadata = readMetadataFilter(rest);
        const page = await listSearchMonitors(database, caller.teamId, { cursor, limit, status, name, metadata });
        return { ...page, data: page.data.map(showSearchMonitor) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getSearchMonitor",
      method: "GET",
      path: "/monitors/:id",
      summary: "Read a search monitor",
      params,
      response: searchMonitorSchema,
      handle: async ({ params: { id } }, { caller }) =>
        showSearchMonitor(await getSearchMonitor(database, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "updateSearchMonitor",
      method: "PATCH",
      path: "/monitors/:id",
      summary: "Change a search monitor; search and webhook are merged, null removes",
      params,
      body: updateSearchMonitorSchema,
      response: searchMonitorSchema,
      handle: async ({ params: { id }, body }, { caller, signal }) =>
        showSearchMonitor(await updateSearchMonitor(deps, { teamId: caller.teamId, id }, body, signal)),
    }),
    defineRoute({
      ...shared,
      name: "deleteSearchMonitor",
      method: "DELETE",
      path: "/monitors/:id",
      summary: "Delete a search monitor and its runs",
      params,
      response: searchMonitorSchema,
      handle: async ({ params: { id } }, { caller }) =>
        showSearchMonitor(await removeSearchMonitor(deps, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "triggerSearchMonitor",
      method: "POST",
      path: "/monitors/:id/trigger",
      summary: "Run a search monitor now; one that is disabled does not run",
      meter: "websets",
      params,
      response: z.object({ triggered: z.boolean() }),
      handle: async ({ params: { id } }, { caller }) => ({
        triggered: (await triggerSearchMonitor(deps, caller.teamId, id)) !== undefined,
      }),
    }),
    defineRoute({
      ...shared,
      name: "listSearchMonitorRuns",
      method: "GET",
      path: "/monitors/:id/runs",
      summary: "List the runs of a search monitor, newest first",
      params,
      query: listSearchMonitorRunsQuerySchema,
      response: pageOf(searchMonitorRunSchema),
      handle: async ({ params: { id }, query }, { caller }) => {
        const monitor = await getSearchMonitor(database, caller.teamId, id);
        const page = await listSearchMonitorRuns(database, monitor.id, query);
        return { ...page, data: page.data.map(showSearchMonitorRun) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getSearchMonitorRun",
      method: "GET",
      path: "/monitors/:id/runs/:runId",
      summary: "Read a run of a search monitor",
      params: params.extend({ runId: z.string().describe("The run's id.") }),
      response: searchMonitorRunSchema,
      handle: async ({ params: { id, runId } }, { caller }) => {
        const monitor = await getSearchMonitor(database, caller.teamId, id);
        const run = await findSearchMonitorRun(database, runId);
        if (run?.monitorId !== monitor.id)
          throw new AppError("not_found", "there is no run with this id of this monitor");
        return showSearchMonitorRun(run);
      },
    }),
  ];
}

/** `metadata[team]=sales` as `{team: "sales"}`. */
function readMetadataFilter(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(query).flatMap(([key, value]): readonly (readonly [string, string])[] => {
    const [, name] = /^metadata\[(.+)\]$/s.exec(key) ?? [];
    return name === undefined || typeof value !== "string" ? [] : [[name, value]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
