/**
 * The life of a run of a monitor.
 *
 * - `created`: its slot has come, or someone asked for it.
 * - `running`: what it began on the webset is under way.
 * - `completed`: that has come to its end.
 * - `canceled`: it was skipped, or what it began was ended by someone; the reason says which.
 * - `failed`: it could not do its work; the reason says why.
 */
export type MonitorRunStatus = "created" | "running" | "completed" | "canceled" | "failed";

/** What may happen to a run. */
export type MonitorRunMove = "start" | "complete" | "cancel" | "fail";

/** The status after a move; undefined when a run in this status cannot make it. */
export function moveMonitorRun(status: MonitorRunStatus, move: MonitorRunMove): MonitorRunStatus | undefined {
  const isOpen = status === "created" || status === "running";
  switch (move) {
    case "start":
      return status === "created" ? "running" : undefined;
    case "complete":
      return status === "running" ? "completed" : undefined;
    case "cancel":
      return isOpen ? "canceled" : undefined;
    case "fail":
      return isOpen ? "failed" : undefined;
  }
}

/** Whether a run has come to its end. */
export function isMonitorRunFinished(status: MonitorRunStatus): boolean {
  return status === "completed" || status === "canceled" || status === "failed";
}
