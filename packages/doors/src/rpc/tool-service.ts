import { fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Tool } from "@quarry/agent";
import { AppError } from "@quarry/base";
import { ToolMessageSchema, ToolTierValue, type ToolService } from "@quarry/contract";
import { readTimeout } from "./read-call.ts";
import { callerOf, sessionOf, streamSignal, type RpcDeps } from "./rpc-deps.ts";
import { runAgentCall, runClientCall } from "./run-calls.ts";
import { openSession } from "./session-stream.ts";
import { answered, streamed } from "./to-connect-error.ts";

/** quarry.v1.ToolService: turns each request into one call on the agent room. */
export function toolService(deps: RpcDeps): ServiceImpl<typeof ToolService> {
  const { tools } = deps;
  return {
    listTools: () => ({ tools: tools.deps.registry.all.map(toToolMessage) }),
    run: (request, context) =>
      streamed(
        (async function* () {
          const caller = callerOf(context);
          const session = await sessionOf(deps, caller, { id: request.sessionId });
          if (request.call === undefined) throw new AppError("invalid_request", "call: missing");
          yield* runClientCall(deps, { caller, session, call: request.call }, streamSignal(deps, context));
        })(),
      ),
    runAgentTool: (request, context) =>
      streamed(
        (async function* () {
          const caller = callerOf(context);
          const session = await sessionOf(deps, caller, { id: request.sessionId });
          yield* runAgentCall(
            deps,
            {
              caller,
              session,
              call: request.call,
              toolCallId: request.toolCallId,
              timeoutMs: readTimeout(request.timeoutMs),
            },
            streamSignal(deps, context),
          );
        })(),
      ),
    session: (requests, context) => streamed(openSession(deps, requests, context)),
    cancel: (request, context) =>
      answered(async () => {
        const session = await sessionOf(deps, callerOf(context), { id: request.sessionId });
        return { cancelled: await tools.cancel(session, request.toolCallId) };
      }),
  };
}

function toToolMessage(tool: Tool): MessageInitShape<typeof ToolMessageSchema> {
  const { name, clientTool, description, schema, annotations, members } = tool;
  const described = fromJson(ToolMessageSchema, { argsSchema: schema });
  const { argsSchema } = described;
  return {
    name,
    tool: clientTool,
    description,
    tier: TIERS[tool.tier],
    annotations,
    agentToolCall: members.agentCall === undefined ? "" : toFieldName(members.agentCall),
    ...(argsSchema === undefined ? {} : { argsSchema }),
  };
}

const TIERS = {
  read: ToolTierValue.READ,
  write: ToolTierValue.WRITE,
  exec: ToolTierValue.EXEC,
  network: ToolTierValue.NETWORK,
} as const;

/** The field's name in the .proto file. */
function toFieldName(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
