import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { confirmStart, ownRoots, startQuestion, type CallMcpDeps } from "../../mcp-client/call-mcp.ts";
import type { McpServer } from "../../mcp-client/mcp-config.ts";
import { toResourceJson } from "../../mcp-client/resource-json.ts";
import type { CallOutcome, Tool, ToolContext, ToolOutput } from "../../tool.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";

/** The most resources that one listing shows. */
const MAX_RESOURCES = 1_000;

/** aiserver.v1 ListMcpResources: what the MCP servers offer to read, of one server or of all. */
export function listMcpResourcesTool(deps: CallMcpDeps): Tool {
  const tool = workspaceTool(deps, {
    name: "list_mcp_resources",
    clientTool: ClientSideToolV2.LIST_MCP_RESOURCES,
    title: "List MCP resources",
    description: "Lists the resources of one MCP server, or of all that mcp.json names.",
    tier: "read",
    messages: "ListMcpResources",
    properties: { server: { type: "string", description: "A server's name; all of them without it" } },
    required: [],
    pathsOf: () => [],
    look: async (args, context) => {
      const name = textOf(args, "server");
      if (name === "") return {};
      const server = await deps.mcp.find(ownRoots(deps, context), name);
      const question = await startQuestion(deps, server, context);
      if (question === undefined) return {};
      const { toolCallId, session } = context;
      const shown = { sessionId: session.id, toolCallId, server: name };
      deps.mcp.remember(shown, { fingerprint: server.fingerprint, presentation: undefined });
      return question;
    },
    stream: (args, context) => list(deps, args, context),
    refuse: () => ({ resources: [] }),
    agent: {
      member: "listMcpResourcesToolCall",
      fromArgs: (args) => (textOf(args, "server") === "" ? {} : { server: textOf(args, "server") }),
      toResult,
    },
  });
  return {
    ...tool,
    annotations: { ...tool.annotations, openWorld: true },
    members: { ...tool.members, exec: { args: "listMcpResourcesExecArgs", result: "listMcpResourcesExecResult" } },
  };
}

async function* list(
  deps: CallMcpDeps,
  args: JsonObject,
  context: ToolContext,
): AsyncGenerator<ToolOutput, JsonObject> {
  const roots = ownRoots(deps, context);
  const name = textOf(args, "server");
  if (name !== "") {
    const server = await deps.mcp.find(roots, name);
    await confirmStart(deps, server, context);
    return { resources: [...(await resourcesOf(deps, server, context.signal))].slice(0, MAX_RESOURCES) };
  }
  const { servers, problems } = await deps.mcp.list(roots);
  for (const problem of problems) yield { kind: "progress", message: problem };
  const found: JsonObject[] = [];
  for (const server of servers) {
    if ((await startQuestion(deps, server, context)) !== undefined) {
      // Nobody agreed to start it yet; naming it asks.
      yield { kind: "progress", message: `${server.name} was not asked: the workspace names it; ask for it by name` };
      continue;
    }
    try {
      found.push(...(await resourcesOf(deps, server, context.signal)));
    } catch (error) {
      context.signal.throwIfAborted();
      // The others may still have some; one that does not answer is said to.
      yield { kind: "progress", message: AppError.from(error).message };
    }
  }
  return { resources: found.slice(0, MAX_RESOURCES) };
}

async function resourcesOf(deps: CallMcpDeps, server: McpServer, signal: AbortSignal): Promise<readonly JsonObject[]> {
  const resources = await deps.mcp.connection(server).resources(signal);
  return resources.map((resource) => ({ ...toResourceJson(resource), server: server.name }));
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind === "rejected") return { rejected: { reason: outcome.reason } };
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  return { success: { resources: outcome.result["resources"] ?? [] } };
}
