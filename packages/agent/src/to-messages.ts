import { fromJson, toJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import {
  AgentToolCallSchema,
  ApprovalSchema,
  ClientSideToolV2,
  ClientSideToolV2CallSchema,
  ClientSideToolV2ResultSchema,
  InteractionQuerySchema,
  type AgentToolCall,
  type ApprovalMessage,
  type ClientSideToolV2Result,
  type InteractionQuery,
} from "@quarry/contract";
import type { Approval } from "@quarry/store";
import type { Question } from "./judged-call.ts";
import { reviewOptions } from "./review.ts";
import { showReview } from "./show-review.ts";
import type { EndedCall } from "./spine.ts";
import { toolError, type ToolError } from "./tool-error.ts";
import type { ToolRegistry } from "./tool-registry.ts";
import type { CallOutcome, Tool } from "./tool.ts";

/** What a call carries and its result gives back unchanged. */
export interface Echo {
  readonly toolCallId: string;
  readonly toolIndex?: number | undefined;
  readonly modelCallId?: string | undefined;
}

/** A call's outcome as aiserver.v1 shows it: the tool's result, or an error in two sentences and never more. */
export function toClientResult(registry: ToolRegistry, ended: EndedCall, echo: Echo): ClientSideToolV2Result {
  const tool = registry.byName(ended.tool);
  const { attachments } = ended.outcome;
  return fromJson(ClientSideToolV2ResultSchema, {
    ...echoed(tool, echo),
    ...resultMember(tool, ended),
    ...(attachments === undefined ? {} : { attachments }),
  });
}

/** What a unary caller gets when nobody answered in time: the call still waits. */
export function toWaitingResult(registry: ToolRegistry, approval: Approval, echo: Echo): ClientSideToolV2Result {
  const tool = registry.byName(approval.tool);
  return fromJson(ClientSideToolV2ResultSchema, { ...echoed(tool, echo), error: errorOf(waitingError(approval)) });
}

/** The two sentences about a question that is still open. */
export function waitingError(approval: Approval): ToolError {
  return toolError(
    `waiting for approval ${approval.id}`,
    `Nobody has answered approval ${approval.id} yet, so ${approval.tool} was not run.`,
    "Repeat the call with the same tool_call_id to go on waiting.",
  );
}

/** A call's result message as protobuf JSON, for doors that show a tool's own message. */
export function toResultJson(registry: ToolRegistry, ended: EndedCall): JsonObject {
  const tool = registry.byName(ended.tool);
  if (tool?.members.agentCall !== undefined && tool.clientTool === ClientSideToolV2.UNSPECIFIED) {
    return tool.toAgentResult(ended.args, ended.outcome) ?? {};
  }
  const member = resultMember(tool, ended);
  const result = tool === undefined ? undefined : member[tool.members.result];
  return isObject(result) ? result : member;
}

/** An agent.v1 ToolCall with its result. */
export function toAgentCall(tool: Tool, given: AgentToolCall, ended: EndedCall): AgentToolCall {
  const member = tool.members.agentCall ?? "";
  const asked = (toJson(AgentToolCallSchema, given) as Record<string, JsonObject | undefined>)[member]?.["args"];
  const result = tool.toAgentResult(ended.args, ended.outcome, isObject(asked) ? asked : undefined);
  const id = isObject(asked) ? asked["toolCallId"] : undefined;
  // A twin with arguments of its own gets them back as they came; others what ran, with the id that ties it to the call.
  const args =
    tool.fromAgentArgs === undefined
      ? { ...ended.args, ...(id === undefined ? {} : { toolCallId: id }) }
      : (asked ?? {});
  const made = fromJson(AgentToolCallSchema, { [member]: { args, ...(result === undefined ? {} : { result }) } });
  return { ...given, tool: made.tool };
}

/** A question in agent.v1's own form; undefined for a tool it has none for. */
export function toInteractionQuery(registry: ToolRegistry, approval: Approval): InteractionQuery | undefined {
  const query = registry.byName(approval.tool)?.query;
  if (query === undefined) return undefined;
  const { toolCallId } = approval;
  const args = approval.args as unknown as JsonObject; // kept by accept-call.ts
  const asked = query.toQuery?.(args, toolCallId) ?? { args: { ...args, toolCallId } };
  return fromJson(InteractionQuerySchema, { id: approval.queryNumber, [query.queryCase]: asked });
}

/** An approval as every RPC shows it. */
export function toApprovalMessage(registry: ToolRegistry, approval: Approval): ApprovalMessage {
  const tool = registry.byName(approval.tool);
  const question = approval.question as unknown as Question; // written by accept-call.ts
  const message = fromJson(ApprovalSchema, {
    id: approval.id,
    sessionId: approval.sessionId,
    toolCallId: approval.toolCallId,
    tool: approval.tool,
    status: `APPROVAL_STATUS_${approval.state.toUpperCase()}`,
    args: approval.args as JsonValue,
    argsHash: approval.argsHash,
    reasons: [...question.reasons],
    risk: question.risk,
    hosts: [...question.hosts],
    paths: [...question.paths],
    ...(question.diff === null ? {} : { diff: question.diff }),
    createdAt: approval.createdAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    ...(approval.decision === null ? {} : { decision: `APPROVAL_DECISION_${approval.decision.toUpperCase()}` }),
    ...(approval.reason === null ? {} : { reason: approval.reason }),
    ...(approval.answeredBy === null ? {} : { answeredBy: approval.answeredBy }),
    ...(approval.answeredAt === null ? {} : { answeredAt: approval.answeredAt.toISOString() }),
    choices: choicesOf(question).map((choice) => `APPROVAL_DECISION_${choice.toUpperCase()}`),
    ...(tool === undefined || tool.query !== undefined ? {} : { toolQuery: toolQuery(tool, approval, question) }),
  });
  const value = toInteractionQuery(registry, approval);
  return value === undefined ? message : { ...message, query: { case: "interactionQuery", value } };
}

/** Which answers make sense: saving a rule does not help where a rule asks on purpose. */
export function choicesOf(question: Question): readonly string[] {
  return question.canSave ? ["once", "session", "always", "reject", "abort"] : ["once", "reject", "abort"];
}

function toolQuery(tool: Tool, approval: Approval, question: Question): JsonObject {
  return {
    toolCall: {
      tool: tool.clientTool,
      toolCallId: approval.toolCallId,
      name: tool.name,
      ...paramsMember(tool, approval.args as JsonValue),
    },
    reasons: [...question.reasons],
    options: [...reviewOptions(tool.tier)],
  };
}

/** The typed member; arguments that the protocol's own message has no room for go as JSON. */
function paramsMember(tool: Tool, args: JsonValue): JsonObject {
  const { params } = tool.members;
  const member = ClientSideToolV2CallSchema.fields.find(({ jsonName }) => jsonName === params);
  return member?.message?.typeName === tool.args.typeName ? { [params]: args } : { rawArgs: JSON.stringify(args) };
}

function echoed(tool: Tool | undefined, { toolCallId, toolIndex, modelCallId }: Echo): JsonObject {
  return {
    tool: tool?.clientTool ?? ClientSideToolV2.UNSPECIFIED,
    toolCallId,
    ...(toolIndex === undefined ? {} : { toolIndex }),
    ...(modelCallId === undefined ? {} : { modelCallId }),
  };
}

function resultMember(tool: Tool | undefined, { outcome, args }: EndedCall): JsonObject {
  switch (outcome.kind) {
    case "succeeded":
      return tool === undefined ? {} : { [tool.members.result]: outcome.result };
    case "rejected":
      return tool === undefined ? {} : { [tool.members.result]: refusal(tool, args, outcome) };
    case "failed":
      return { error: errorOf(outcome.error) };
    case "cancelled":
      return { error: errorOf(toolError("cancelled", "The call was cancelled.", "Nothing was returned.")) };
  }
}

function refusal(tool: Tool, args: JsonObject, outcome: Extract<CallOutcome, { kind: "rejected" }>): JsonObject {
  const { reason, review } = outcome;
  return showReview(
    tool.result,
    tool.refuse(args, reason),
    review === null ? undefined : { review, isAccepted: false },
  );
}

function errorOf(error: ToolError): JsonObject {
  const { client, model, edit } = error;
  const member = edit?.kind === "edit-file" ? "editFileErrorDetails" : "searchReplaceErrorDetails";
  return {
    clientVisibleErrorMessage: client,
    modelVisibleErrorMessage: model,
    ...(edit === undefined ? {} : { [member]: { numLinesInFileBeforeEdit: edit.numLinesInFileBeforeEdit } }),
  };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
