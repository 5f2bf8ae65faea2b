import { toJson, type DescMessage, type JsonObject } from "@bufbuild/protobuf";
import type { CallRequest, GivenCall, Tool, ToolRegistry } from "@quarry/agent";
import { AppError, makeId } from "@quarry/base";
import {
  AgentToolCallSchema,
  ClientSideToolV2,
  ClientSideToolV2CallSchema,
  type AgentToolCall,
  type Caller,
  type ClientSideToolV2Call,
} from "@quarry/contract";
import type { ToolSession } from "@quarry/store";
import { toolCallerOf } from "./rpc-deps.ts";

/** A call from the wire as the agent room takes it. One without an id gets one: it cannot be repeated. */
export function readClientCall(caller: Caller, session: ToolSession, call: ClientSideToolV2Call): CallRequest {
  return {
    caller: toolCallerOf(caller),
    session,
    toolCallId: call.toolCallId === "" ? makeId("toolcall") : call.toolCallId,
    given: { clientTool: call.tool, name: call.name, rawArgs: call.rawArgs, params: readParams(call) },
    isInternal: call.internal,
    timeoutMs: readTimeout(call.timeoutMs),
    ...(call.modelCallId === undefined || call.modelCallId === "" ? {} : { turnId: call.modelCallId }),
  };
}

/** Whether a call is a preview of one still being written: it is shown, never run. */
export function isPreview(call: ClientSideToolV2Call): boolean {
  return call.isStreaming && !call.isLastMessage;
}

/** An agent.v1 ToolCall as the agent room takes it; throws `invalid_request` for one without a tool of ours. */
export function readAgentCall(
  registry: ToolRegistry,
  call: AgentToolCall | undefined,
): { readonly tool: Tool; readonly call: AgentToolCall; readonly given: GivenCall; readonly toolCallId: string } {
  const member = call?.tool.case;
  const tool = member === undefined ? undefined : registry.byAgentCall(member);
  if (call === undefined || member === undefined || tool === undefined) {
    const names = registry.all.flatMap(({ members }) => members.agentCall ?? []);
    throw new AppError("invalid_request", `call: set one of ${names.join(", ")}`);
  }
  const wrapper = messageOf(AgentToolCallSchema, member);
  const json = toJson(wrapper, call.tool.value as never) as JsonObject;
  const args = (json["args"] ?? {}) as JsonObject;
  const id = args["toolCallId"];
  return {
    tool,
    call,
    toolCallId: call.toolCallId ?? (typeof id === "string" ? id : ""),
    given: {
      clientTool: ClientSideToolV2.UNSPECIFIED,
      name: tool.name,
      rawArgs: "",
      params: { member: tool.members.params, args: tool.fromAgentArgs?.(args) ?? args },
    },
  };
}

/** A limit of time from the wire; throws `invalid_request` for one that is none. */
export function readTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined) return undefined;
  if (Number.isFinite(timeoutMs) && timeoutMs >= 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw new AppError("invalid_request", `timeout_ms must be 0 to ${MAX_TIMEOUT_MS}`);
}

const MAX_TIMEOUT_MS = 24 * 3_600_000;

function readParams(call: ClientSideToolV2Call): GivenCall["params"] {
  const { params } = call;
  if (params.case === undefined) return undefined;
  const message = messageOf(ClientSideToolV2CallSchema, params.case);
  return { member: params.case, args: toJson(message, params.value) as JsonObject };
}

function messageOf(parent: DescMessage, member: string): DescMessage {
  const message = parent.field[member]?.message;
  if (message === undefined) throw new Error(`${parent.typeName} has no message ${member}`);
  return message;
}
