import type { JsonObject } from "@bufbuild/protobuf";
import {
  appendAudit,
  findApprovalOfCall,
  type Approval,
  type AuditEntry,
  type Json,
  type ToolCall,
  type ToolCallEnd,
} from "@quarry/store";
import type { JudgedCall } from "./judged-call.ts";
import { hashArgs } from "./hash-args.ts";
import type { CallRequest, EndedCall, SpineDeps } from "./spine.ts";
import { toolError, type ToolError } from "./tool-error.ts";
import type { CallOutcome, Tool } from "./tool.ts";
import type { ValidatedCall } from "./validate-call.ts";

/** The end of a kept call, from its row. */
export function endedCall(call: ToolCall): EndedCall {
  return {
    tool: call.tool,
    args: call.runArgs as unknown as JsonObject,
    outcome: call.outcome as unknown as CallOutcome, // written by `endOf` below
    call,
  };
}

/** What the log says of a call that ends. */
type EndingCall = Pick<
  ToolCall,
  | "id"
  | "sessionId"
  | "toolCallId"
  | "tool"
  | "argsHash"
  | "runArgs"
  | "allowedBy"
  | "caller"
  | "isInternal"
  | "createdAt"
  | "startedAt"
>;

/** What the store is told when a call ends; the state follows from the outcome. */
export function endOf(
  call: EndingCall,
  outcome: CallOutcome,
  facts: { readonly now: Date; readonly decidedBy?: string },
): Omit<ToolCallEnd, "callId" | "from"> {
  const began = call.startedAt ?? call.createdAt;
  return {
    state: outcome.kind,
    outcome: outcome as unknown as Json, // readonly data through and through
    audit: {
      at: facts.now.toISOString(),
      callId: call.id,
      sessionId: call.sessionId,
      toolCallId: call.toolCallId,
      tool: call.tool,
      argsHash: call.argsHash,
      decision: call.allowedBy?.startsWith("approval_") === false ? "allow" : "ask",
      decidedBy: facts.decidedBy ?? call.allowedBy ?? "nobody",
      who: call.caller,
      result: outcome.kind,
      durationMs: facts.now.getTime() - began.getTime(),
      isInternal: call.isInternal,
      ...categoryOf(call),
    },
  };
}

/** An edit may bring a word for the log. */
function categoryOf({ runArgs }: Pick<ToolCall, "runArgs">): Pick<AuditEntry, "editCategory"> {
  const { editCategory } = runArgs as unknown as JsonObject; // kept by accept-call.ts
  return typeof editCategory === "string" && editCategory !== "" ? { editCategory } : {};
}

/** A call that could not be understood: no row, one line in the log. */
export async function endInvalid(
  deps: SpineDeps,
  request: CallRequest,
  invalid: Extract<ValidatedCall, { kind: "invalid" }>,
): Promise<EndedCall> {
  const args = request.given.params?.args ?? { rawArgs: request.given.rawArgs };
  const facts = { tool: invalid.tool, args, decision: "none", decidedBy: "validation" };
  await appendAudit(deps.db, request.session.teamId, entryWithoutRow(deps, request, facts));
  return { tool: invalid.tool, args: {}, outcome: failed(invalid.error), call: undefined };
}

/** A call that nobody could look at, such as one for a machine that is not there: no row, one line in the log. */
export async function endUnfit(
  deps: SpineDeps,
  request: CallRequest,
  unfit: { readonly tool: Tool; readonly args: JsonObject; readonly error: ToolError },
): Promise<EndedCall> {
  const { tool, args, error } = unfit;
  const facts = { tool: tool.name, args, decision: "none", decidedBy: "inspection" };
  await appendAudit(deps.db, request.session.teamId, entryWithoutRow(deps, request, facts));
  return { tool: tool.name, args, outcome: failed(error), call: undefined };
}

/** A call that policy denied: no row, one line in the log. */
export async function endDenied(
  deps: SpineDeps,
  request: CallRequest,
  judged: JudgedCall,
  reason: string,
): Promise<EndedCall> {
  const { tool, args, verdict } = judged;
  const facts = { tool: tool.name, args, decision: "deny", decidedBy: verdict.rule.id };
  await appendAudit(deps.db, request.session.teamId, entryWithoutRow(deps, request, facts));
  const error =
    verdict.rule.told ??
    toolError(
      `${tool.name} is not allowed: ${reason}`,
      `The policy denies this call of ${tool.name} (${reason}), so nothing was done.`,
      "Do not try to reach the same by other means; tell the person if it is needed.",
    );
  return { tool: tool.name, args, outcome: failed(error), call: undefined };
}

/** The outcome of a call that failed. */
export function failed(error: ToolError): CallOutcome {
  return { kind: "failed", error };
}

/** The approval that a call runs by; undefined for one that a rule allowed. */
export async function grantOf(deps: Pick<SpineDeps, "db">, call: ToolCall): Promise<Approval | undefined> {
  if (call.allowedBy?.startsWith("approval_") !== true) return undefined;
  return findApprovalOfCall(deps.db, call.id);
}

function entryWithoutRow(
  deps: SpineDeps,
  request: CallRequest,
  facts: { readonly tool: string; readonly args: JsonObject; readonly decision: string; readonly decidedBy: string },
): AuditEntry {
  return {
    at: deps.clock.now().toISOString(),
    callId: null,
    sessionId: request.session.id,
    toolCallId: request.toolCallId,
    tool: facts.tool,
    argsHash: hashArgs(facts.tool, facts.args),
    decision: facts.decision,
    decidedBy: facts.decidedBy,
    who: request.caller.name,
    result: "failed",
    durationMs: 0,
    isInternal: request.isInternal,
  };
}
