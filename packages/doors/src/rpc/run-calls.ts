import { create } from "@bufbuild/protobuf";
import { toAgentCall } from "@quarry/agent";
import { makeId } from "@quarry/base";
import {
  ToolEventSchema,
  type AgentToolCall,
  type Caller,
  type ClientSideToolV2Call,
  type ToolEventMessage,
} from "@quarry/contract";
import type { ToolSession } from "@quarry/store";
import { isPreview, readAgentCall, readClientCall } from "./read-call.ts";
import { toolCallerOf, type RpcDeps } from "./rpc-deps.ts";
import { previewEvents, toEvents, toResultEvent } from "./to-events.ts";

/** Runs a call and tells every event, the result last. A preview is only shown. */
export async function* runClientCall(
  deps: RpcDeps,
  asked: { readonly caller: Caller; readonly session: ToolSession; readonly call: ClientSideToolV2Call },
  signal: AbortSignal,
): AsyncGenerator<ToolEventMessage> {
  const { registry } = deps.tools.deps;
  const request = readClientCall(asked.caller, asked.session, asked.call);
  const { toolIndex, modelCallId } = asked.call;
  const followed = { request, echo: { toolCallId: request.toolCallId, toolIndex, modelCallId } };
  if (isPreview(asked.call)) {
    yield* previewEvents(registry, followed);
    return;
  }
  const live = deps.tools.call(request);
  yield* toEvents(registry, live, followed, signal);
  yield toResultEvent(registry, await live.ended, followed.echo);
}

/** As `runClientCall`, for an agent.v1 ToolCall, which comes back completed. */
export async function* runAgentCall(
  deps: RpcDeps,
  asked: {
    readonly caller: Caller;
    readonly session: ToolSession;
    readonly call: AgentToolCall | undefined;
    readonly toolCallId: string;
    readonly timeoutMs: number | undefined;
  },
  signal: AbortSignal,
): AsyncGenerator<ToolEventMessage> {
  const { registry } = deps.tools.deps;
  const read = readAgentCall(registry, asked.call);
  const toolCallId = asked.toolCallId || read.toolCallId || makeId("toolcall");
  const request = {
    caller: toolCallerOf(asked.caller),
    session: asked.session,
    toolCallId,
    given: read.given,
    isInternal: false,
    timeoutMs: asked.timeoutMs,
  };
  const live = deps.tools.call(request);
  yield* toEvents(registry, live, { request, echo: { toolCallId } }, signal);
  const value = toAgentCall(read.tool, read.call, await live.ended);
  yield create(ToolEventSchema, { toolCallId, event: { case: "agentResult", value } });
}
