import { beginAgentRun, getAgentRun } from "@quarry/answer";
import { AppError, decodeCursor, encodeCursor, type Clock } from "@quarry/base";
import { agentEventSchema, agentRequestSchema, agentRunSchema, listAgentQuerySchema, pageOf } from "@quarry/contract";
import {
  cancelResearch,
  deleteResearch,
  listResearch,
  stopResearch,
  type Database,
  type Research,
} from "@quarry/store";
import { z } from "zod";
import { eventStreamReply, type Reply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { followAgentRun, listAgentEvents, showAgentRun } from "./agent-run-view.ts";

/** What the routes of agent runs need. */
export interface AgentRunRoutesDeps {
  readonly db: Database;
  readonly clock: Clock;
}

const params = z.object({ id: z.string().min(1).max(200).describe("The run's id.") });
const shared = { tag: "Agent", access: "research" } as const;
const listOf = <T extends z.ZodType>(item: T) => pageOf(item).extend({ object: z.literal("list") });

/** Agent runs: research in Exa's newer form. */
export function agentRunRoutes(deps: AgentRunRoutesDeps): readonly Route[] {
  const { db, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createAgentRun",
      method: "POST",
      path: "/agent/runs",
      summary: "Begin an agent run",
      description:
        "Answers at once; with Accept: text/event-stream the run is streamed to its end. It survives restarts.",
      creates: true,
      meter: "research",
      body: agentRequestSchema,
      response: agentRunSchema,
      handle: async ({ body }, { caller, newId, headers, streamSignal }) => {
        const { teamId, keyId } = caller;
        const run = await beginAgentRun(db, { id: newId("agent_run"), teamId, keyId, request: body, now: clock.now() });
        return asksForStream(headers) ? stream(db, run, 0, streamSignal) : showAgentRun(run);
      },
    }),
    defineRoute({
      ...shared,
      name: "listAgentRuns",
      method: "GET",
      path: "/agent/runs",
      summary: "List the team's agent runs, newest first",
      query: listAgentQuerySchema,
      response: listOf(agentRunSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listResearch(db, caller.teamId, { ...query, kind: "agent" });
        return { object: "list" as const, ...page, data: page.data.map(showAgentRun) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getAgentRun",
      method: "GET",
      path: "/agent/runs/:id",
      summary: "Read an agent run",
      params,
      response: agentRunSchema,
      handle: async ({ params: { id } }, { caller }) => showAgentRun(await getAgentRun(db, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "deleteAgentRun",
      method: "DELETE",
      path: "/agent/runs/:id",
      summary: "Delete an agent run; one under way is ended first",
      params,
      response: z.object({ id: z.string(), object: z.literal("agent_run.deleted"), deleted: z.literal(true) }),
      handle: async ({ params: { id } }, { caller }) => {
        await getAgentRun(db, caller.teamId, id);
        await deleteResearch(db, caller.teamId, id);
        return { id, object: "agent_run.deleted" as const, deleted: true as const };
      },
    }),
    defineRoute({
      ...shared,
      name: "cancelAgentRun",
      method: "POST",
      path: "/agent/runs/:id/cancel",
      summary: "End an agent run; one that has ended stays as it is",
      params,
      response: agentRunSchema,
      handle: async ({ params: { id } }, { caller }) => {
        await getAgentRun(db, caller.teamId, id);
        return showAgentRun(await cancelResearch(db, caller.teamId, id, clock.now()));
      },
    }),
    defineRoute({
      ...shared,
      name: "stopAgentRun",
      method: "POST",
      path: "/agent/runs/:id/stop",
      summary: "Let an agent run conclude early with what it has",
      params,
      response: agentRunSchema,
      handle: async ({ params: { id } }, { caller }) => {
        await getAgentRun(db, caller.teamId, id);
        return showAgentRun(await stopResearch(db, caller.teamId, id, clock.now()));
      },
    }),
    defineRoute({
      ...shared,
      name: "listAgentRunEvents",
      method: "GET",
      path: "/agent/runs/:id/events",
      summary: "List a run's events, or follow them with Accept: text/event-stream",
      description: "Last-Event-ID goes on behind that event.",
      params,
      query: listAgentQuerySchema,
      response: listOf(agentEventSchema),
      handle: async ({ params: { id }, query }, { caller, headers, streamSignal }) => {
        const run = await getAgentRun(db, caller.teamId, id);
        if (asksForStream(headers)) return stream(db, run, readLastEventId(headers["last-event-id"]), streamSignal);
        const [after = "0"] = query.cursor === undefined ? [] : decodeCursor(query.cursor, 1);
        const events = await listAgentEvents(db, run, Number(after) + 1);
        const data = events.slice(0, query.limit);
        const hasMore = events.length > data.length;
        return {
          object: "list" as const,
          data: [...data],
          hasMore,
          nextCursor: hasMore ? encodeCursor([data.at(-1)?.id ?? ""]) : null,
        };
      },
    }),
  ];
}

function asksForStream(headers: { readonly accept?: string | undefined }): boolean {
  return headers.accept?.includes("text/event-stream") ?? false;
}

function readLastEventId(given: string | readonly string[] | undefined): number {
  const text = typeof given === "string" ? given.trim() : "0";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError("invalid_request", "Last-Event-ID: expected the id of an event of this run, a whole number");
}

function stream(db: Database, run: Research, after: number, signal: AbortSignal): Reply {
  const frames = async function* (): AsyncGenerator<string> {
    for await (const { id, event, data } of followAgentRun(db, run, after, signal)) {
      yield `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    }
  };
  return eventStreamReply(frames(), {
    errorFrame: ({ message }) => `event: error\ndata: ${JSON.stringify({ message })}\n\n`,
  });
}
