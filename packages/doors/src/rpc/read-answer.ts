import { decisionOfOption, type GivenAnswer, type ToolRuntime } from "@quarry/agent";
import { AppError } from "@quarry/base";
import { ApprovalDecision, type AnswerRequest, type Caller, type InteractionResponse } from "@quarry/contract";
import { findApprovalByQuery, getApproval, type ApprovalDecision as Decision } from "@quarry/store";

/** An answer from the wire: a decision, a HumanReview, or an agent.v1 InteractionResponse, which names its question by number. */
export async function readAnswer(tools: ToolRuntime, caller: Caller, request: AnswerRequest): Promise<GivenAnswer> {
  const common = { teamId: caller.teamId, answeredBy: caller.name, approvalId: request.approvalId };
  const args = request.args === undefined ? {} : { args: request.args };
  const review = {
    bubbleId: request.bubbleId,
    submitFeedbackAsNewMessage: request.submitFeedbackAsNewMessage,
  };
  const { answer } = request;
  switch (answer.case) {
    case "decision":
      return { ...common, ...args, decision: toDecision(answer.value), reason: request.reason, review };
    case "humanReview": {
      const { selectedOption, feedbackText, submitFeedbackAsNewMessage, bubbleId } = answer.value;
      const given = { selectedOption, feedbackText, submitFeedbackAsNewMessage, bubbleId };
      const decision = decisionOfOption(given.selectedOption);
      if (decision === undefined) {
        throw new AppError("invalid_request", `human_review.selected_option: ${given.selectedOption} is no answer`);
      }
      return { ...common, ...args, decision, reason: request.reason || given.feedbackText, review: given };
    }
    case "interactionResponse":
      return readInteractionResponse(tools, caller, {
        response: answer.value,
        sessionId: request.sessionId,
        approvalId: request.approvalId,
      });
    case undefined:
      throw new AppError("invalid_request", "answer: set decision, human_review or interaction_response");
  }
}

/** An agent.v1 answer. Its id must be the question's, and its case must fit the question's. */
export async function readInteractionResponse(
  tools: ToolRuntime,
  caller: Caller,
  given: { readonly response: InteractionResponse; readonly sessionId: string; readonly approvalId?: string },
): Promise<GivenAnswer> {
  const { response, sessionId, approvalId = "" } = given;
  const { db, registry } = tools.deps;
  const { teamId } = caller;
  const approval =
    approvalId === ""
      ? await findApprovalByQuery(db, { teamId, sessionId, queryNumber: response.id })
      : await getApproval(db, teamId, approvalId);
  if (approval?.queryNumber !== response.id) {
    throw new AppError("not_found", `interaction_response.id: no question ${response.id} was asked in this session`);
  }
  const query = registry.byName(approval.tool)?.query;
  const { result } = response;
  if (result.case === undefined || query?.responseCase !== result.case) {
    const wanted = query?.responseCase ?? "none";
    throw new AppError("invalid_request", `interaction_response: this question is answered by ${wanted}`);
  }
  return { teamId, answeredBy: caller.name, approvalId: approval.id, ...readSaid(result) };
}

/** What a response says. Most say approved or rejected; a question is answered, and a plan made or not. */
function readSaid(result: InteractionResponse["result"]): Pick<GivenAnswer, "decision" | "reason" | "args"> {
  if (result.case === "askQuestionInteractionResponse") {
    const said = result.value.result?.result;
    if (said?.case === "success") {
      const answers = said.value.answers.map(({ questionId, selectedOptionIds, freeformText }) => ({
        questionId,
        selectedOptionIds,
        freeformText,
      }));
      return { decision: "once", reason: "", args: { answers } };
    }
    if (said?.case === "rejected") return { decision: "reject", reason: said.value.reason };
    throw new AppError("invalid_request", "interaction_response: set success with answers, or rejected");
  }
  if (result.case === "createPlanRequestResponse") {
    const said = result.value.result?.result;
    if (said?.case === "success") return { decision: "once", reason: "" };
    if (said?.case === "error") return { decision: "reject", reason: said.value.error };
    throw new AppError("invalid_request", "interaction_response: set success or error");
  }
  const value = result.value;
  const said =
    value !== undefined && "result" in value ? (value.result as { case?: string; value?: { reason?: string } }) : {};
  if (said.case !== "approved" && said.case !== "rejected") {
    throw new AppError("invalid_request", "interaction_response: set approved or rejected");
  }
  return { decision: said.case === "approved" ? "once" : "reject", reason: said.value?.reason ?? "" };
}

function toDecision(value: ApprovalDecision): Decision {
  switch (value) {
    case ApprovalDecision.ONCE:
      return "once";
    case ApprovalDecision.SESSION:
      return "session";
    case ApprovalDecision.ALWAYS:
      return "always";
    case ApprovalDecision.REJECT:
      return "reject";
    case ApprovalDecision.ABORT:
      return "abort";
    case ApprovalDecision.UNSPECIFIED:
      throw new AppError("invalid_request", "decision: say once, session, always, reject or abort");
  }
}
