/**
 * The life of a tool call. A call that was only requested has no row yet.
 *
 * - `awaiting-approval`: a person (or the headless policy) must answer first.
 * - `running`: an executor has it, allowed by a rule or by a grant that is now used.
 * - `succeeded`, `failed`: it ran, or could not.
 * - `rejected`: it was refused and did nothing.
 * - `cancelled`: its caller called it off.
 */
export type ToolCallState = "awaiting-approval" | "running" | "succeeded" | "failed" | "rejected" | "cancelled";

/** What may happen to a call. `lapsed`: its approval expired; `lost`: the process that ran it died. */
export type ToolCallMove = "granted" | "refused" | "succeeded" | "failed" | "cancelled" | "lapsed" | "lost";

/** The state after a move; undefined when a call in this state cannot make it. */
export function moveToolCall(state: ToolCallState, move: ToolCallMove): ToolCallState | undefined {
  switch (move) {
    case "granted":
      return state === "awaiting-approval" ? "running" : undefined;
    case "refused":
      return state === "awaiting-approval" ? "rejected" : undefined;
    case "lapsed":
      return state === "awaiting-approval" ? "failed" : undefined;
    case "succeeded":
      return state === "running" ? "succeeded" : undefined;
    case "failed":
    case "lost":
      return state === "running" ? "failed" : undefined;
    case "cancelled":
      return isToolCallEnded(state) ? undefined : "cancelled";
  }
}

/** Whether a call has its outcome. */
export function isToolCallEnded(state: ToolCallState): boolean {
  return state !== "awaiting-approval" && state !== "running";
}
