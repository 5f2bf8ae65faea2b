import { create, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  toApprovalMessage,
  toClientResult,
  type CallEvent,
  type CallRequest,
  type Echo,
  type EndedCall,
  type LiveCall,
  type ToolRegistry,
} from "@quarry/agent";
import {
  OutputChannel,
  StreamedBackPartialToolCallSchema,
  StreamedBackToolCallV2Schema,
  ToolEventSchema,
  type ToolEventMessage,
} from "@quarry/contract";

/** A call and everything its events repeat. */
export interface FollowedCall {
  readonly request: CallRequest;
  readonly echo: Echo;
}

/** Every event of a call for the wire, its end left out: partial call, call, question, output. */
export async function* toEvents(
  registry: ToolRegistry,
  live: LiveCall,
  followed: FollowedCall,
  signal: AbortSignal,
): AsyncGenerator<ToolEventMessage> {
  let isShown = false;
  for await (const event of live.follow(signal)) {
    yield toEvent(registry, event, followed);
    if (event.kind === "accepted" && !isShown) {
      isShown = true;
      yield* previewEvents(registry, followed);
    }
  }
  if (!isShown) yield* previewEvents(registry, followed);
}

/** How a call is shown before anything happens: that it comes, then what it says. */
export function previewEvents(registry: ToolRegistry, { request, echo }: FollowedCall): readonly ToolEventMessage[] {
  const { given } = request;
  const tool =
    registry.byClientTool(given.clientTool) ??
    registry.byName(given.name) ??
    (given.params === undefined ? undefined : registry.byParams(given.params.member));
  const common: JsonObject = {
    tool: tool?.clientTool ?? given.clientTool,
    toolCallId: echo.toolCallId,
    name: tool?.name ?? given.name,
    ...(echo.toolIndex === undefined ? {} : { toolIndex: echo.toolIndex }),
    ...(echo.modelCallId === undefined ? {} : { modelCallId: echo.modelCallId }),
  };
  const params = given.params === undefined ? {} : { [given.params.member]: given.params.args };
  const { toolCallId } = echo;
  return [
    create(ToolEventSchema, {
      toolCallId,
      event: { case: "partialCall", value: fromJson(StreamedBackPartialToolCallSchema, common) },
    }),
    create(ToolEventSchema, {
      toolCallId,
      event: {
        case: "call",
        value: fromJson(StreamedBackToolCallV2Schema, { ...common, rawArgs: given.rawArgs, ...params }),
      },
    }),
  ];
}

/** The last event of a call. */
export function toResultEvent(registry: ToolRegistry, ended: EndedCall, echo: Echo): ToolEventMessage {
  const value = toClientResult(registry, ended, echo);
  return create(ToolEventSchema, { toolCallId: echo.toolCallId, event: { case: "result", value } });
}

function toEvent(registry: ToolRegistry, event: CallEvent, { request, echo }: FollowedCall): ToolEventMessage {
  const { toolCallId } = echo;
  switch (event.kind) {
    case "accepted":
      return create(ToolEventSchema, {
        toolCallId,
        event: {
          case: "accepted",
          value: {
            sessionId: request.session.id,
            at: timestampFromDate(event.call.createdAt),
            repeated: event.isRepeated,
          },
        },
      });
    case "approval-needed": {
      const value = toApprovalMessage(registry, event.approval);
      return create(ToolEventSchema, { toolCallId, event: { case: "approvalNeeded", value } });
    }
    case "output":
      return create(ToolEventSchema, {
        toolCallId,
        event: { case: "output", value: { channel: CHANNELS[event.channel], text: event.text } },
      });
    case "progress": {
      const fraction = event.fraction === undefined ? {} : { fraction: event.fraction };
      return create(ToolEventSchema, {
        toolCallId,
        event: { case: "progress", value: { message: event.message, ...fraction } },
      });
    }
  }
}

const CHANNELS = {
  stdout: OutputChannel.STDOUT,
  stderr: OutputChannel.STDERR,
  "partial-result": OutputChannel.PARTIAL_RESULT,
} as const;
