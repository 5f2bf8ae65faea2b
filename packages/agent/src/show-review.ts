import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import type { Review } from "./tool.ts";

/**
 * Puts what a person chose into a tool's result, in every member its message has
 * for that: `human_review_v2`, and the two older forms of an edit. A message
 * without such members, and a call that nobody was asked about, stay as they are.
 */
export function showReview(
  message: DescMessage,
  result: JsonObject,
  asked: { readonly review: Review; readonly isAccepted: boolean } | undefined,
): JsonObject {
  if (asked === undefined) return result;
  const { review, isAccepted } = asked;
  const members: JsonObject = {
    humanReviewV2: { ...review },
    humanFeedback: { ...review },
    humanReview: {
      isEditAccepted: isAccepted,
      textResult: review.feedbackText,
      stopAndGetNewUserInput: review.submitFeedbackAsNewMessage,
    },
  };
  const known = Object.entries(members).filter(([name]) => message.field[name] !== undefined);
  return { ...result, ...Object.fromEntries(known) };
}
