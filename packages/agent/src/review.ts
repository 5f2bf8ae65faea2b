import type { ApprovalDecision } from "@quarry/store";
import type { ToolTier } from "./call-facts.ts";
import type { Review } from "./tool.ts";

/** The words of HumanReview.selected_option, by what kind of tool was asked about. */
export function reviewOptions(tier: ToolTier): readonly string[] {
  switch (tier) {
    case "exec":
      return ["run", "skip", "allowlistCommands", TELL];
    case "write":
      return ["accept", "skip", TELL, "switchToDefaultAgentMode"];
    case "read":
    case "network":
      return ["run", "skip", "allowlistTool", TELL];
  }
}

const TELL = "rejectAndTellWhatToDoDifferently";

/** What a word of the vocabulary means as a decision; undefined for a word that is none of it. */
export function decisionOfOption(option: string): ApprovalDecision | undefined {
  switch (option) {
    case "run":
    case "accept":
      return "once";
    case "allowlistCommands":
    case "allowlistTool":
      return "always";
    case "skip":
    case TELL:
    case "switchToDefaultAgentMode":
      return "reject";
    default:
      return undefined;
  }
}

/** The review that a result shows for a decision; what the person's client sent counts first. */
export function reviewOf(
  tier: ToolTier,
  answer: {
    readonly decision: ApprovalDecision;
    readonly reason: string;
    readonly review?: Partial<Review> | undefined;
  },
): Review {
  const [yes = "run"] = reviewOptions(tier);
  const always = tier === "exec" ? "allowlistCommands" : tier === "write" ? "accept" : "allowlistTool";
  const no = answer.reason === "" ? "skip" : TELL;
  const option = { once: yes, session: yes, always, reject: no, abort: no }[answer.decision];
  return {
    selectedOption: answer.review?.selectedOption ?? option,
    feedbackText: answer.review?.feedbackText ?? answer.reason,
    submitFeedbackAsNewMessage: answer.review?.submitFeedbackAsNewMessage ?? false,
    bubbleId: answer.review?.bubbleId ?? "",
  };
}
