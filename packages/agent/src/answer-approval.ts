import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import {
  answerApproval as answerInStore,
  getApproval,
  isYes,
  type AnswerOutcome,
  type Approval,
  type ApprovalDecision,
  type Json,
} from "@quarry/store";
import type { Question } from "./judged-call.ts";
import { endOf } from "./end-call.ts";
import { judgeCall } from "./judge-call.ts";
import { reviewOf } from "./review.ts";
import type { SpineDeps } from "./spine.ts";
import type { Review, Tool } from "./tool.ts";
import { validateArgs } from "./validate-call.ts";

/** A person's answer as a door hands it over. */
export interface GivenAnswer {
  readonly teamId: string;
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
  readonly reason: string;
  readonly answeredBy: string;
  /** Arguments to run instead of those asked about. */
  readonly args?: JsonObject | undefined;
  /** What the person chose in the vocabulary of the wire; made from the decision unless given. */
  readonly review?: Partial<Review> | undefined;
}

/**
 * Writes down an answer; the first counts. Throws `not_found` for no such
 * approval, `invalid_request` for edited arguments that may not be, and
 * `forbidden` for ones that policy denies.
 */
export async function answerApproval(deps: SpineDeps, given: GivenAnswer): Promise<AnswerOutcome> {
  const approval = await getApproval(deps.db, given.teamId, given.approvalId);
  const tool = deps.registry.byName(approval.tool);
  const question = approval.question as unknown as Question; // written by accept-call.ts
  const review = reviewOf(tool?.tier ?? "network", given);
  const words = isYes(given.decision) ? takeWords(tool, approval, given) : undefined;
  const editedArgs =
    words?.args ?? (given.args === undefined ? null : await checkEdited(deps, approval, { tool, args: given.args }));
  const now = deps.clock.now();
  const { teamId, approvalId, decision, reason, answeredBy } = given;
  return answerInStore(
    deps.db,
    {
      teamId,
      approvalId,
      decision,
      reason,
      answeredBy,
      review: { ...review },
      editedArgs,
      rule: question.canSave ? (question.alike as unknown as Json) : null,
      message:
        words?.message ??
        (review.submitFeedbackAsNewMessage && review.feedbackText !== "" ? review.feedbackText : null),
    },
    (call) => {
      const spoken = reason === "" ? "no reason was given" : reason;
      return endOf(call, { kind: "rejected", reason: spoken, review }, { now, decidedBy: answeredBy });
    },
    now,
  );
}

/** What a person said to a question that takes more than a yes; undefined for any other tool. */
function takeWords(
  tool: Tool | undefined,
  approval: Pick<Approval, "args" | "toolCallId">,
  given: GivenAnswer,
): ReturnType<NonNullable<Tool["takeAnswer"]>> | undefined {
  const { toolCallId } = approval;
  const args = approval.args as unknown as JsonObject; // kept by accept-call.ts
  return tool?.takeAnswer?.({ args, toolCallId }, { args: given.args, reason: given.reason });
}

async function checkEdited(
  deps: SpineDeps,
  approval: { readonly teamId: string; readonly sessionId: string; readonly toolCallId: string },
  edited: { readonly tool: Tool | undefined; readonly args: JsonObject },
): Promise<JsonObject> {
  const { tool, args } = edited;
  if (tool?.isEditable !== true) {
    throw new AppError("invalid_request", "args: the arguments of this tool cannot be changed; reject with a reason");
  }
  const valid = validateArgs(tool, args);
  if (valid.kind === "invalid") throw new AppError("invalid_request", `args: ${valid.error.client}`);
  const context = await deps.contexts.renew(approval.teamId, approval.sessionId);
  const { toolCallId } = approval;
  const about = { tool, args: valid.args, context };
  const judgement = await judgeCall(deps, { toolCallId }, about, AbortSignal.timeout(INSPECT_MS));
  if (judgement.kind === "unfit") throw new AppError("invalid_request", `args: ${judgement.error.client}`);
  const { verdict } = judgement.judged;
  if (verdict.decision === "deny") throw new AppError("forbidden", `args: policy denies these: ${verdict.rule.reason}`);
  return valid.args;
}

const INSPECT_MS = 10_000;

/** Whether an answer lets its call run. */
export function letsRun(outcome: AnswerOutcome): boolean {
  return outcome.kind === "answered" && outcome.approval.decision !== null && isYes(outcome.approval.decision);
}
