/**
 * The life of a crawl.
 *
 * - `queued`: a job waits to work on it.
 * - `running`: a job works on it, or its worker died and another will take over.
 * - `paused`: someone asked it to rest; its frontier stays as it is. Resuming queues it again.
 * - `completed`: nothing is left to visit, or its budget is spent (`reason` says which). Where re-visits are switched on,
 *   the next page that falls due queues it again, for another round.
 * - `canceled`: someone ended it; what was read stays.
 * - `failed`: it cannot go on (`reason` says why).
 */
export type CrawlStatus = "queued" | "running" | "paused" | "completed" | "canceled" | "failed";

/** What may happen to a crawl. */
export type CrawlMove = "start" | "pause" | "resume" | "complete" | "cancel" | "fail" | "revisit";

/** The status after a move; undefined when a crawl in this status cannot make it. */
export function moveCrawl(status: CrawlStatus, move: CrawlMove): CrawlStatus | undefined {
  const isOpen = status === "queued" || status === "running";
  switch (move) {
    case "start":
      return isOpen ? "running" : undefined;
    case "pause":
      return isOpen ? "paused" : undefined;
    case "resume":
      return status === "paused" ? "queued" : undefined;
    case "complete":
      return status === "running" ? "completed" : undefined;
    case "cancel":
      return isOpen || status === "paused" ? "canceled" : undefined;
    case "fail":
      return isOpen ? "failed" : undefined;
    case "revisit":
      return status === "completed" ? "queued" : undefined;
  }
}

/** Whether a crawl has come to its end. */
export function isCrawlFinished(status: CrawlStatus): boolean {
  return status === "completed" || status === "canceled" || status === "failed";
}
