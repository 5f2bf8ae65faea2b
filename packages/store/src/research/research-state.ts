/**
 * The life of a research task.
 *
 * - `pending`: its job waits, for a worker or for others of the same key to end.
 * - `running`: a job works on it, or its worker died and another will take over.
 * - `completed`: the report is there.
 * - `canceled`: someone ended it; its events stay.
 * - `failed`: it cannot go on; `error` says why.
 */
export type ResearchStatus = "pending" | "running" | "completed" | "canceled" | "failed";

/** What may happen to a research task. */
export type ResearchMove = "start" | "complete" | "cancel" | "fail";

/** The status after a move; undefined when a task in this status cannot make it. */
export function moveResearch(status: ResearchStatus, move: ResearchMove): ResearchStatus | undefined {
  const isOpen = status === "pending" || status === "running";
  switch (move) {
    case "start":
      return isOpen ? "running" : undefined;
    case "complete":
      return status === "running" ? "completed" : undefined;
    case "cancel":
      return isOpen ? "canceled" : undefined;
    case "fail":
      return isOpen ? "failed" : undefined;
  }
}

/** Whether a research task has come to its end. */
export function isResearchFinished(status: ResearchStatus): boolean {
  return status === "completed" || status === "canceled" || status === "failed";
}
