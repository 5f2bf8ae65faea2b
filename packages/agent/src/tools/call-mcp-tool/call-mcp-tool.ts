import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { lookAtCall, ownRoots, runCall, type CallMcpDeps, type McpCall } from "../../mcp-client/call-mcp.ts";
import { MAX_CALL_MS } from "../../mcp-client/mcp-connection.ts";
import { DEFAULT_THRESHOLD_BYTES, toReplyJson } from "../../mcp-client/mcp-reply.ts";
import type { CallOutcome, Tool, ToolContext } from "../../tool.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";

/** aiserver.v1 CallMcpTool: calls one tool of one configured MCP server. What the tool reports as wrong is its result. */
export function callMcpTool(deps: CallMcpDeps): Tool {
  const tool = workspaceTool(deps, {
    name: "call_mcp_tool",
    clientTool: ClientSideToolV2.CALL_MCP_TOOL,
    title: "Call an MCP tool",
    description: "Calls a tool of an MCP server that mcp.json names.",
    // What a foreign tool does nobody here can tell, so it counts as running a program.
    tier: "exec",
    messages: "CallMcpTool",
    properties: {
      server: { type: "string", minLength: 1, description: "The server's name in mcp.json" },
      toolName: { type: "string", minLength: 1, description: "The tool's name" },
      toolArgs: { type: "object", description: "Its arguments" },
    },
    required: ["server", "toolName"],
    pathsOf: () => [],
    look: (args, context) => lookAtCall(deps, callOf(args), context),
    stream: async function* (args, context) {
      const call = callOf(args);
      const reply = yield* runCall(deps, call, context);
      const result = await toReplyJson(reply, {
        root: rootOf(deps, context),
        toolCallId: context.toolCallId,
        thresholdBytes: DEFAULT_THRESHOLD_BYTES,
      });
      return { server: call.server, toolName: call.tool, result };
    },
    refuse: (args, reason) => ({
      ...namesOf(args),
      result: { content: [{ type: "text", text: `The person declined: ${reason}` }], isError: true },
    }),
    agent: { member: "mcpToolCall", fromArgs, toResult },
  });
  return {
    ...tool,
    annotations: { ...tool.annotations, idempotent: false, openWorld: true },
    members: { ...tool.members, exec: { args: "mcpArgs", result: "mcpResult" } },
    // A server that reports progress is waited for.
    runMs: MAX_CALL_MS,
    alike: (_, facts) => ({ mcpTools: facts.mcpTools ?? [] }),
  };
}

/** The directory in which long output is kept: the session's first root. */
export function rootOf(deps: CallMcpDeps, context: ToolContext): string {
  const [root] = ownRoots(deps, context);
  if (root === undefined) throw new AppError("forbidden", "there is no workspace here");
  return root;
}

function callOf(args: JsonObject): McpCall {
  const given = args["toolArgs"];
  return { server: textOf(args, "server"), tool: textOf(args, "toolName"), args: isObject(given) ? given : {} };
}

function namesOf(args: JsonObject): JsonObject {
  return { server: textOf(args, "server"), toolName: textOf(args, "toolName") };
}

/** agent.v1 McpArgs; older builds name the tool in `name` alone. */
function fromArgs(args: JsonObject): JsonObject {
  return {
    server: textOf(args, "providerIdentifier"),
    toolName: textOf(args, "toolName") || textOf(args, "name"),
    toolArgs: isObject(args["args"]) ? args["args"] : {},
  };
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind === "rejected") return { rejected: { reason: outcome.reason } };
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  const result = outcome.result["result"];
  const { content, isError, structuredContent } = isObject(result) ? result : {};
  return {
    success: {
      content: (Array.isArray(content) ? content : []).flatMap(toContentItem),
      isError: isError === true,
      ...(isObject(structuredContent) ? { structuredContent } : {}),
    },
  };
}

/** agent.v1 knows texts and images; anything else is told as text. */
function toContentItem(item: JsonValue): readonly JsonObject[] {
  if (!isObject(item)) return [];
  if (item["type"] === "image") return [{ image: { data: item["data"] ?? "", mimeType: item["mimeType"] ?? "" } }];
  if (typeof item["text"] !== "string") return [{ text: { text: JSON.stringify(item) } }];
  const location = item["outputLocation"];
  return [{ text: { text: item["text"], ...(isObject(location) ? { outputLocation: location } : {}) } }];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
