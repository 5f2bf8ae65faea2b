import type { JsonObject } from "@bufbuild/protobuf";
import {
  explainCall,
  toResultJson,
  toWaitingResult,
  waitForEnd,
  waitingError,
  type Tool,
  type ToolRuntime,
} from "@quarry/agent";
import { AppError, makeId } from "@quarry/base";
import {
  ClientSideToolV2,
  toolCallQuerySchema,
  toolExplanationSchema,
  toolSchema,
  type Caller,
} from "@quarry/contract";
import type { ToolSession } from "@quarry/store";
import { z } from "zod";
import { jsonReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { ownSession } from "./named-session.ts";
import { sessionChangeRoutes } from "./session-changes.ts";
import { sessionShellRoutes } from "./session-shells.ts";

const nameParams = z.object({ name: z.string().min(1) });
const argsBody = z.record(z.string(), z.unknown());

/** The tools over REST: list, schema, call, and what policy would say. */
export function toolRoutes(deps: { readonly tools: ToolRuntime }): readonly Route[] {
  const { tools } = deps;
  const { registry } = tools.deps;
  return [
    ...sessionChangeRoutes(deps),
    ...sessionShellRoutes(deps),
    defineRoute({
      name: "listTools",
      method: "GET",
      path: "/quarry/v1/tools",
      tag: "Tools",
      summary: "Lists the tools an agent can call",
      access: "tools",
      response: z.object({ data: z.array(toolSchema) }),
      handle: () => Promise.resolve({ data: registry.all.map(toTool) }),
    }),
    defineRoute({
      name: "getToolSchema",
      method: "GET",
      path: "/quarry/v1/tools/:name/schema",
      tag: "Tools",
      summary: "The JSON Schema (draft-07) of a tool's arguments",
      access: "tools",
      params: nameParams,
      response: z.record(z.string(), z.unknown()),
      handle: ({ params }) => Promise.resolve({ ...requireTool(tools, params.name).schema }),
    }),
    defineRoute({
      name: "callTool",
      method: "POST",
      path: "/quarry/v1/tools/:name/calls",
      tag: "Tools",
      summary: "Runs a tool",
      description:
        "The body is the tool's arguments; the reply its result message as protobuf JSON, after approval when one is needed. The headers x-quarry-call-state, x-quarry-tool-call-id and x-quarry-approval-id tell where the call is.",
      access: "tools",
      params: nameParams,
      query: toolCallQuerySchema,
      body: argsBody,
      response: z.record(z.string(), z.unknown()),
      handle: async ({ params, query, body }, context) => {
        const tool = requireTool(tools, params.name);
        const args = body as JsonObject; // parsed from JSON by the door
        const inArgs = args["toolCallId"];
        const toolCallId =
          query.toolCallId ?? (typeof inArgs === "string" && inArgs !== "" ? inArgs : makeId("toolcall"));
        const session = await sessionOf(tools, context.caller, query.sessionId);
        const live = tools.call({
          caller: { teamId: context.caller.teamId, name: context.caller.name },
          session,
          toolCallId,
          given: givenOf(tool, args),
          isInternal: false,
          timeoutMs: query.timeoutMs === undefined || query.timeoutMs === 0 ? undefined : query.timeoutMs,
        });
        const end = await waitForEnd(live, { timeoutMs: query.timeoutMs, signal: context.signal });
        const headers = { "x-quarry-tool-call-id": toolCallId };
        if (end.kind === "waiting") {
          return jsonReply(waitingJson(tools, tool, end.approval), {
            headers: {
              ...headers,
              "x-quarry-call-state": "awaiting-approval",
              "x-quarry-approval-id": end.approval.id,
            },
          });
        }
        return jsonReply(toResultJson(registry, end.ended), {
          headers: { ...headers, "x-quarry-call-state": end.ended.outcome.kind },
        });
      },
    }),
    defineRoute({
      name: "explainToolCall",
      method: "POST",
      path: "/quarry/v1/tools/:name/explain",
      tag: "Tools",
      summary: "What policy would say of a call, without making it",
      access: "tools",
      params: nameParams,
      query: z.object({ sessionId: z.string().min(1).optional() }),
      body: argsBody,
      response: toolExplanationSchema,
      handle: async ({ params, query, body }, context) => {
        const tool = requireTool(tools, params.name);
        const session = await sessionOf(tools, context.caller, query.sessionId);
        const explained = await explainCall(tools.deps, session, givenOf(tool, body as JsonObject), context.signal);
        if (explained.kind === "invalid") {
          const { tool: name, error } = explained;
          return { tool: name, decision: "invalid" as const, reason: error.model, rules: [], hosts: [], paths: [] };
        }
        const { verdict, facts } = explained;
        return {
          tool: tool.name,
          decision: verdict.decision,
          reason: verdict.rule.reason,
          rules: [
            ...verdict.matching.map(({ id, source, decision, reason }) => ({ id, source, decision, reason })),
            ...verdict.ignored.map(({ id, source }) => ({ id, source, decision: "ignored", reason: IGNORED })),
          ],
          hosts: [...facts.hosts],
          paths: [...facts.paths],
        };
      },
    }),
  ];
}

const IGNORED = "a workspace's own file may only tighten; what it allows counts for nothing";

function toTool(tool: Tool): z.input<typeof toolSchema> {
  const { name, clientTool, description, tier, annotations, schema } = tool;
  const isOwn = clientTool === ClientSideToolV2.UNSPECIFIED;
  return {
    name,
    tool: isOwn ? null : ClientSideToolV2[clientTool],
    description,
    tier,
    annotations,
    argsSchema: schema,
  };
}

function requireTool(tools: ToolRuntime, name: string): Tool {
  const tool = tools.deps.registry.byName(name);
  if (tool !== undefined) return tool;
  const names = tools.deps.registry.all.map((known) => known.name).join(", ");
  throw new AppError("not_found", `there is no tool ${name}; there are ${names}`);
}

/** The session of that id; without one, the session that belongs to the caller's key. */
function sessionOf(tools: ToolRuntime, caller: Caller, id: string | undefined): Promise<ToolSession> {
  if (id === undefined) return ownSession(tools, caller);
  return tools.session({ teamId: caller.teamId, name: caller.name }, { id, name: "" });
}

function givenOf(tool: Tool, args: JsonObject): Parameters<typeof explainCall>[2] {
  return {
    clientTool: ClientSideToolV2.UNSPECIFIED,
    name: tool.name,
    rawArgs: JSON.stringify(args),
    params: undefined,
  };
}

/** An Exa result says it in its own error case; others as a ToolResultError. */
function waitingJson(tools: ToolRuntime, tool: Tool, approval: Parameters<typeof waitingError>[0]): JsonObject {
  if (tool.clientTool === ClientSideToolV2.UNSPECIFIED) {
    return tool.toAgentResult({}, { kind: "failed", error: waitingError(approval) }) ?? {};
  }
  const { error } = toWaitingResult(tools.deps.registry, approval, { toolCallId: approval.toolCallId });
  return {
    error: {
      clientVisibleErrorMessage: error?.clientVisibleErrorMessage ?? "",
      modelVisibleErrorMessage: error?.modelVisibleErrorMessage ?? "",
    },
  };
}
