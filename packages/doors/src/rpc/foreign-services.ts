import { create, fromJson, toJson, type JsonObject } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { toClientResult, toWaitingResult, waitForEnd } from "@quarry/agent";
import { AppError, makeId } from "@quarry/base";
import {
  ClientSideToolV2,
  ClientSideToolV2ResultSchema,
  ExecClientMessageSchema,
  ExecServerMessageSchema,
  type ExecService,
  ExecStreamElementSchema,
  type VmDaemonService,
  type ExecServerMessage,
  type ExecStreamElement,
} from "@quarry/contract";
import { isPreview, readClientCall } from "./read-call.ts";
import { callerOf, sessionOf, streamSignal, toolCallerOf, type RpcDeps } from "./rpc-deps.ts";
import { answered, streamed } from "./to-connect-error.ts";

/** aiserver.v1.VmDaemonService: one call in, its result out. The composer's id names the session. */
export function vmDaemonService(deps: RpcDeps): ServiceImpl<typeof VmDaemonService> {
  const { tools } = deps;
  const { registry } = tools.deps;
  return {
    callClientSideV2Tool: (request, context) =>
      answered(async () => {
        const { toolCall, composerId, rootPath } = request;
        if (toolCall === undefined) throw new AppError("invalid_request", "tool_call: missing");
        const caller = callerOf(context);
        const session = await sessionOf(deps, caller, { name: composerId, workspaceRoot: rootPath });
        const asked = readClientCall(caller, session, toolCall);
        const { toolIndex, modelCallId } = toolCall;
        const echo = { toolCallId: asked.toolCallId, toolIndex, modelCallId };
        if (isPreview(toolCall)) {
          return {
            toolResult: create(ClientSideToolV2ResultSchema, { tool: toolCall.tool, toolCallId: asked.toolCallId }),
          };
        }
        const end = await waitForEnd(tools.call(asked), { timeoutMs: asked.timeoutMs, signal: context.signal });
        return {
          toolResult:
            end.kind === "ended"
              ? toClientResult(registry, end.ended, echo)
              : toWaitingResult(registry, end.approval, echo),
        };
      }),
  };
}

/** agent.v1.ExecService: the tools that the exec messages know. */
export function execService(deps: RpcDeps): ServiceImpl<typeof ExecService> {
  return {
    exec: (request, context) => streamed(runExec(deps, request, { context, signal: streamSignal(deps, context) })),
  };
}

async function* runExec(
  deps: RpcDeps,
  request: ExecServerMessage,
  by: { readonly context: Parameters<typeof callerOf>[0]; readonly signal: AbortSignal },
): AsyncGenerator<ExecStreamElement> {
  const { id, execId, message } = request;
  const { registry } = deps.tools.deps;
  const tool = registry.all.find(({ members }) => members.exec?.args === message.case && message.case !== undefined);
  const exec = tool?.members.exec;
  if (tool === undefined || exec === undefined) {
    yield throwOf(id, `${message.case ?? "nothing"} cannot be run here`);
    return;
  }
  const caller = callerOf(by.context);
  const session = await sessionOf(deps, caller, {});
  const args = ((toJson(ExecServerMessageSchema, request) as JsonObject)[exec.args] ?? {}) as JsonObject;
  const given = args["toolCallId"];
  const live = deps.tools.call({
    caller: toolCallerOf(caller),
    session,
    toolCallId: typeof given === "string" && given !== "" ? given : execId || makeId("toolcall"),
    given: {
      clientTool: ClientSideToolV2.UNSPECIFIED,
      name: tool.name,
      rawArgs: "",
      params: { member: tool.members.params, args: tool.fromAgentArgs === undefined ? args : tool.fromAgentArgs(args) },
    },
    isInternal: false,
    timeoutMs: undefined,
  });
  for await (const event of live.follow(by.signal)) {
    // Its messages have no place for questions and progress: the stream is kept open by heartbeats.
    if (event.kind !== "output") yield control({ case: "heartbeat", value: { id } });
  }
  const ended = await live.ended;
  const result = tool.toAgentResult(ended.args, ended.outcome) ?? {};
  const value = fromJson(ExecClientMessageSchema, { id, execId, [exec.result]: result });
  yield create(ExecStreamElementSchema, { element: { case: "execClientMessage", value } });
  yield control({ case: "streamClose", value: { id } });
}

function throwOf(id: number, error: string): ExecStreamElement {
  return control({ case: "throw", value: { id, error } });
}

type Control =
  | { readonly case: "heartbeat" | "streamClose"; readonly value: { readonly id: number } }
  | { readonly case: "throw"; readonly value: { readonly id: number; readonly error: string } };

function control(message: Control): ExecStreamElement {
  return create(ExecStreamElementSchema, { element: { case: "execClientControlMessage", value: { message } } });
}
