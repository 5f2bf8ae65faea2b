import { requirements } from "../requirement.ts";

/** What the approvals part promises. */
export const approvalsRequirements = requirements({
  "issue 9 policy and approvals": {
    "approvals:row:query-and-reasons": "an approval shows the query, its arguments, reasons, risk and diff or host",
    "approvals:answer:once": "once lets this call run",
    "approvals:answer:session": "session lets like calls of this session run",
    "approvals:answer:always": "always saves a rule",
    "approvals:answer:reject-reason": "reject ends the call with the reason",
    "approvals:answer:abort": "abort ends the turn",
    "approvals:answer:edited-arguments": "edited arguments are run where the message has them",
    "approvals:grant:single-use": "a grant is used once",
    "approvals:grant:bound-to-arguments": "a grant holds for the arguments' hash alone",
    "approvals:grant:expires": "an unanswered approval expires",
    "approvals:grant:survives-restart": "an approval survives restart and reconnect",
    "approvals:doors:listed-everywhere": "approvals are listed and watched from every door",
    "approvals:doors:answered-once": "two answers to one approval: the first counts and the second is told so",
    "approvals:headless:deny": "QUARRY_HEADLESS deny refuses at once",
    "approvals:headless:approve": "QUARRY_HEADLESS approve approves and logs it",
    "approvals:headless:never-hangs": "with nobody there a call never hangs",
    "approvals:exa:interaction-query": "Exa approvals travel as InteractionQuery 5 and 6",
    "approvals:exa:id-echoed": "the response echoes the query's id and its case must match",
    "approvals:exa:rejected": "a refused Exa call ends as rejected with the reason",
    "approvals:exa:asked-over-doors": "over REST and Connect an Exa call asks",
    "approvals:review:selected-option": "human_review_v2 carries selected_option of the vocabulary",
    "approvals:review:feedback-text": "it carries feedback_text",
    "approvals:review:feedback-as-message": "submit_feedback_as_new_message queues the text to the session",
    "approvals:review:bubble-id": "bubble_id is echoed",
    "approvals:cancel:with-turn": "a cancelled call's approval is withdrawn",
    "approvals:proof:interleavings":
      "100,000 random interleavings run nothing without a grant, use none twice and leave none stuck",
    "approvals:proof:planted-bug": "a planted reuse of a grant is caught",
  },
});
