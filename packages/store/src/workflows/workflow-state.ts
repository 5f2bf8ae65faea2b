/**
 * The life of a workflow's task.
 *
 * - `pending`: its job waits for a worker.
 * - `working`: a job works on it, or it waits for something it set going and looks again soon.
 * - `completed`: the result is there.
 * - `failed`: a step could not be done; `error` names it.
 * - `cancelled`: someone ended it; what it had so far stays.
 */
export type WorkflowStatus = "pending" | "working" | "completed" | "failed" | "cancelled";

/** What may happen to a task. */
export type WorkflowMove = "start" | "complete" | "fail" | "cancel";

/** The status after a move; undefined when a task in this status cannot make it. */
export function moveWorkflow(status: WorkflowStatus, move: WorkflowMove): WorkflowStatus | undefined {
  const isOpen = status === "pending" || status === "working";
  if (!isOpen) return undefined;
  switch (move) {
    case "start":
      return "working";
    case "complete":
      return status === "working" ? "completed" : undefined;
    case "fail":
      return "failed";
    case "cancel":
      return "cancelled";
  }
}

/** Whether a task has come to its end. */
export function isWorkflowFinished(status: WorkflowStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
