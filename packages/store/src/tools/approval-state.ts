/**
 * The life of an approval.
 *
 * - `pending`: nobody has answered.
 * - `granted`: answered yes; the grant waits for its one use.
 * - `used`: the call took the grant and ran; it can never be taken again.
 * - `rejected`: answered no.
 * - `expired`: nobody answered in time, or nobody came for the grant.
 * - `withdrawn`: the call ended before.
 */
export type ApprovalState = "pending" | "granted" | "used" | "rejected" | "expired" | "withdrawn";

/** What a person can say. `abort` also refuses every other waiting call of the session. */
export type ApprovalDecision = "once" | "session" | "always" | "reject" | "abort";

/** What may happen to an approval. */
export type ApprovalMove = "approve" | "refuse" | "use" | "expire" | "withdraw";

/** The state after a move; undefined when an approval in this state cannot make it. */
export function moveApproval(state: ApprovalState, move: ApprovalMove): ApprovalState | undefined {
  switch (move) {
    case "approve":
      return state === "pending" ? "granted" : undefined;
    case "refuse":
      return state === "pending" ? "rejected" : undefined;
    case "use":
      return state === "granted" ? "used" : undefined;
    case "expire":
      return isOpen(state) ? "expired" : undefined;
    case "withdraw":
      return isOpen(state) ? "withdrawn" : undefined;
  }
}

/** Whether a decision lets the call run. */
export function isYes(decision: ApprovalDecision): boolean {
  return decision === "once" || decision === "session" || decision === "always";
}

function isOpen(state: ApprovalState): boolean {
  return state === "pending" || state === "granted";
}
