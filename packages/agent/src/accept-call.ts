import { makeId } from "@quarry/base";
import { findApprovalOfCall, findToolCall, type Json, type NewToolCall, type ToolCall } from "@quarry/store";
import { answerApproval } from "./answer-approval.ts";
import { endDenied, endUnfit, failed } from "./end-call.ts";
import { hashArgs } from "./hash-args.ts";
import type { JudgedCall, Question } from "./judged-call.ts";
import { APPROVAL_TTL_MS, LEASE_MS, type CallRequest, type EndedCall, type SpineDeps } from "./spine.ts";
import { toolError, type ToolError } from "./tool-error.ts";

/** Kept (newly, or the one of that id), or over before it was. */
export type AcceptedCall =
  | { readonly kind: "kept"; readonly call: ToolCall; readonly isNew: boolean }
  | { readonly kind: "refused"; readonly ended: EndedCall }
  /** The rules changed meanwhile: it must be judged again. */
  | { readonly kind: "stale" };

/** Keeps a call as its verdict says: running, or with a question. Denied ones are told to the log alone. */
export async function acceptCall(deps: SpineDeps, request: CallRequest, judged: JudgedCall): Promise<AcceptedCall> {
  const { tool, args, verdict } = judged;
  const { toolCallId } = request;
  const { session } = judged.context;
  const asked = newCall(request, judged);
  const { argsHash } = asked;
  if (session.closedAt !== null) return { kind: "refused", ended: await endDenied(deps, request, judged, CLOSED) };
  if (verdict.decision === "deny") {
    const known = await findToolCall(deps.db, session.id, toolCallId);
    if (known?.argsHash === argsHash) return { kind: "kept", call: known, isNew: false };
    return { kind: "refused", ended: await endDenied(deps, request, judged, verdict.rule.reason) };
  }
  if (tool.takeAnswer !== undefined && deps.headless !== undefined) {
    return { kind: "refused", ended: await endUnfit(deps, request, { tool, args, error: nobodyThere(tool.name) }) };
  }
  const now = deps.clock.now();
  const kept = await deps.store.acceptToolCall(
    deps.db,
    {
      ...asked,
      start:
        verdict.decision === "allow"
          ? {
              kind: "run",
              allowedBy: verdict.rule.id,
              runnerId: deps.runnerId,
              leaseUntil: new Date(now.getTime() + LEASE_MS),
              hasEffects: tool.tier !== "read",
            }
          : {
              kind: "ask",
              approval: {
                id: makeId("approval", now),
                question: questionOf(judged) as unknown as Json, // readonly data through and through
                expiresAt: new Date(now.getTime() + APPROVAL_TTL_MS),
              },
            },
    },
    now,
  );
  if (kept.kind === "stale") return kept;
  if (!isSameCall(kept.call, asked)) return { kind: "refused", ended: otherCall(judged, request) };
  if (kept.isNew && kept.call.state === "awaiting-approval") await answerWhenNobodyCan(deps, kept.call);
  return kept;
}

/** What a call's row says of it, however it starts. */
export function newCall(request: CallRequest, { tool, args, context }: JudgedCall): Omit<NewToolCall, "start"> {
  return {
    teamId: context.session.teamId,
    sessionId: context.session.id,
    toolCallId: request.toolCallId,
    tool: tool.name,
    args,
    argsHash: hashArgs(tool.name, args),
    caller: request.caller.name,
    isInternal: request.isInternal,
    contextVersion: context.version,
  };
}

/** Whether the call of an id is the one that is asked for now. */
export function isSameCall(kept: ToolCall, asked: Pick<NewToolCall, "tool" | "argsHash">): boolean {
  return kept.tool === asked.tool && kept.argsHash === asked.argsHash;
}

const CLOSED = "the session is closed";

function nobodyThere(tool: string): ToolError {
  return toolError(
    `${tool}: there is no one to answer`,
    "Nobody is there to be asked, so the question was not put.",
    "Choose a sensible default yourself, say which, and go on.",
  );
}

function questionOf({ tool, args, facts, verdict, context }: JudgedCall): Question {
  const { agentName } = context.session;
  const asker = agentName === null ? [] : [`asked by the sub-agent ${agentName}`];
  return {
    reasons: [verdict.rule.reason, ...asker, ...facts.notes],
    risk: facts.risk,
    hosts: facts.hosts,
    paths: facts.paths,
    diff: facts.diff ?? null,
    alike: tool.alike(args, facts),
    canSave: verdict.rule.source === "default",
  };
}

/** The end of a call whose id belongs to another. */
export function otherCall({ tool, args }: JudgedCall, request: CallRequest): EndedCall {
  const error = toolError(
    "tool_call_id was used before",
    `The tool_call_id ${request.toolCallId} belongs to another call of this session, so nothing was done.`,
    "Use a new tool_call_id for a new call.",
  );
  return { tool: tool.name, args, outcome: failed(error), call: undefined };
}

async function answerWhenNobodyCan(deps: SpineDeps, call: ToolCall): Promise<void> {
  if (deps.headless === undefined) return;
  const approval = await findApprovalOfCall(deps.db, call.id);
  if (approval === undefined) return;
  const isApproved = deps.headless === "approve";
  await answerApproval(deps, {
    teamId: call.teamId,
    approvalId: approval.id,
    decision: isApproved ? "once" : "reject",
    reason: isApproved ? "" : "nobody is there to be asked, and the headless policy is to refuse",
    answeredBy: "headless policy",
  });
}
