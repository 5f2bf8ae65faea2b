import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import { lookAtCall, runCall, type CallMcpDeps, type McpCall } from "../../mcp-client/call-mcp.ts";
import { MAX_CALL_MS } from "../../mcp-client/mcp-connection.ts";
import { DEFAULT_THRESHOLD_BYTES, toReplyJson, toReplyText, type ReplyLimits } from "../../mcp-client/mcp-reply.ts";
import type { Tool } from "../../tool.ts";
import { rootOf } from "../call-mcp-tool/call-mcp-tool.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";
import { readOffer } from "./read-offer.ts";

/**
 * aiserver.v1 MCP, the older form of a call: the caller names the tools on offer, and one of them is called with
 * `raw_args`. The call that people are asked about and that runs is the chosen tool alone, its arguments in `parameters`.
 */
export function mcpTool(deps: CallMcpDeps): Tool {
  const tool = workspaceTool(deps, {
    name: "mcp",
    clientTool: ClientSideToolV2.MCP,
    title: "Call an MCP tool (older form)",
    description: "Calls one of the offered tools of an MCP server that mcp.json names.",
    tier: "exec",
    messages: "MCP",
    members: "mcp",
    properties: {
      tools: {
        type: "array",
        minItems: 1,
        maxItems: 1,
        items: {
          type: "object",
          properties: {
            name: { type: "string", minLength: 1, description: "The tool's name" },
            description: { type: "string", description: "What the model was told of it" },
            parameters: { type: "string", description: "JSON Schema of its arguments, or the arguments themselves" },
            serverName: { type: "string", minLength: 1, description: "The server's name in mcp.json" },
          },
          required: ["name", "serverName"],
        },
      },
      fileOutputThresholdBytes: {
        type: ["integer", "string"],
        description: "Text over this goes to a file; 40,000 without it",
      },
    },
    required: ["tools"],
    pathsOf: () => [],
    look: (args, context) => lookAtCall(deps, callOf(args), context),
    stream: async function* (args, context) {
      const call = callOf(args);
      const limits: ReplyLimits = {
        root: rootOf(deps, context),
        toolCallId: context.toolCallId,
        thresholdBytes: thresholdOf(args["fileOutputThresholdBytes"]),
      };
      const reply = await toReplyJson(yield* runCall(deps, call, context), limits);
      return { selectedTool: call.tool, result: await toReplyText(reply, limits) };
    },
    refuse: (args, reason) => ({ selectedTool: callOf(args).tool, result: `The person declined: ${reason}` }),
  });
  return {
    ...tool,
    annotations: { ...tool.annotations, idempotent: false, openWorld: true },
    readCall: readOffer,
    // A server that reports progress is waited for.
    runMs: MAX_CALL_MS,
    alike: (_, facts) => ({ mcpTools: facts.mcpTools ?? [] }),
  };
}

function callOf(args: JsonObject): McpCall {
  const [tool] = Array.isArray(args["tools"]) ? args["tools"] : [];
  const chosen = isObject(tool) ? tool : {};
  const description = textOf(chosen, "description");
  return {
    server: textOf(chosen, "serverName"),
    tool: textOf(chosen, "name"),
    args: JSON.parse(textOf(chosen, "parameters") || "{}") as JsonObject, // written by read-offer.ts
    ...(description === "" ? {} : { description }),
  };
}

/** An int64 is a text in protobuf JSON. */
function thresholdOf(value: JsonValue | undefined): number {
  const bytes = Number(value ?? DEFAULT_THRESHOLD_BYTES);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : DEFAULT_THRESHOLD_BYTES;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
