import {
  addAgentMonitorEntitiesSchema,
  agentMonitorBacktestSchema,
  agentMonitorChangesSchema,
  agentMonitorEntitiesSchema,
  agentMonitorSchema,
  createAgentMonitorBacktestSchema,
  createAgentMonitorSchema,
  listAgentMonitorPartsQuerySchema,
  listAgentMonitorsQuerySchema,
  pageOf,
} from "@quarry/contract";
import { deleteAgentMonitor, getAgentBacktest, getAgentMonitor, listAgentMonitors } from "@quarry/store";
import {
  addToAgentMonitor,
  beginAgentBacktest,
  beginAgentMonitor,
  showAgentBacktest,
  showAgentChanges,
  showAgentEntities,
  showAgentMonitor,
  type AgentMonitorDeps,
} from "@quarry/websets";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

const params = z.object({ id: z.string().min(1).max(200).describe("The monitor's id.") });
const shared = { tag: "Agent monitors", access: "websets" } as const;

/** Agent monitors: fields of entities that are kept fresh, with a feed of what changed. */
export function agentMonitorRoutes(deps: AgentMonitorDeps): readonly Route[] {
  const { database, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createAgentMonitor",
      method: "POST",
      path: "/agent/monitors",
      summary: "Keep fields of entities fresh",
      description:
        "Every entity is looked at soon, and then at every cadence. Each value carries the quotes it rests on; what the pages do " +
        "not tell has no value. A change of a value has a version of its own.",
      creates: true,
      meter: "websets",
      body: createAgentMonitorSchema,
      response: agentMonitorSchema,
      handle: async ({ body }, { caller, newId }) =>
        showAgentMonitor(await beginAgentMonitor(deps, { id: newId("agent_monitor"), teamId: caller.teamId, body })),
    }),
    defineRoute({
      ...shared,
      name: "listAgentMonitors",
      method: "GET",
      path: "/agent/monitors",
      summary: "List the team's agent monitors, newest first",
      query: listAgentMonitorsQuerySchema,
      response: pageOf(agentMonitorSchema).extend({ object: z.literal("list") }),
      handle: async ({ query }, { caller }) => {
        const page = await listAgentMonitors(database, caller.teamId, query);
        return { object: "list" as const, ...page, data: page.data.map(showAgentMonitor) };
      },
    }),
    defineRoute({
      ...shared,
      name: "createAgentMonitorBacktest",
      method: "POST",
      path: "/agent/monitors/backtest",
      summary: "Find out what a monitor would have found in a window of the stored past",
      creates: true,
      meter: "websets",
      body: createAgentMonitorBacktestSchema,
      response: agentMonitorBacktestSchema,
      handle: async ({ body }, { caller, newId }) =>
        showAgentBacktest(await beginAgentBacktest(deps, { id: newId("backtest"), teamId: caller.teamId, body })),
    }),
    defineRoute({
      ...shared,
      name: "getAgentMonitorBacktest",
      method: "GET",
      path: "/agent/monitors/backtest/:id",
      summary: "Read a back-test; a day after it was made it is gone",
      params,
      response: agentMonitorBacktestSchema,
      handle: async ({ params: { id } }, { caller }) =>
        showAgentBacktest(await getAgentBacktest(database, caller.teamId, id, clock.now())),
    }),
    defineRoute({
      ...shared,
      name: "getAgentMonitor",
      method: "GET",
      path: "/agent/monitors/:id",
      summary: "Read an agent monitor",
      params,
      response: agentMonitorSchema,
      handle: async ({ params: { id } }, { caller }) =>
        showAgentMonitor(await getAgentMonitor(database, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "deleteAgentMonitor",
      method: "DELETE",
      path: "/agent/monitors/:id",
      summary: "Delete an agent monitor and all it knows",
      params,
      response: z.object({ id: z.string(), object: z.literal("agent_monitor.deleted"), deleted: z.literal(true) }),
      handle: async ({ params: { id } }, { caller }) => {
        await deleteAgentMonitor(database, caller.teamId, id);
        return { id, object: "agent_monitor.deleted" as const, deleted: true as const };
      },
    }),
    defineRoute({
      ...shared,
      name: "addAgentMonitorEntities",
      method: "POST",
      path: "/agent/monitors/:id/entities",
      summary: "Watch more entities; those whose domain is watched already stay as they are",
      meter: "websets",
      params,
      body: addAgentMonitorEntitiesSchema,
      response: agentMonitorSchema,
      handle: async ({ params: { id }, body }, { caller: { teamId } }) =>
        showAgentMonitor(await addToAgentMonitor(deps, { teamId, id }, body.entities)),
    }),
    defineRoute({
      ...shared,
      name: "listAgentMonitorEntities",
      method: "GET",
      path: "/agent/monitors/:id/entities",
      summary: "List a monitor's entities with what is known of them",
      params,
      query: listAgentMonitorPartsQuerySchema,
      response: agentMonitorEntitiesSchema,
      handle: ({ params: { id }, query }, { caller: { teamId } }) => showAgentEntities(deps, { teamId, id }, query),
    }),
    defineRoute({
      ...shared,
      name: "listAgentMonitorChanges",
      method: "GET",
      path: "/agent/monitors/:id/changes",
      summary: "List how contents changed, in order; the cursor goes on behind the last one",
      params,
      query: listAgentMonitorPartsQuerySchema,
      response: agentMonitorChangesSchema,
      handle: ({ params: { id }, query }, { caller: { teamId } }) => showAgentChanges(deps, { teamId, id }, query),
    }),
  ];
}
