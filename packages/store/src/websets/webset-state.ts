/**
 * The life of a search.
 *
 * - `created`: it was asked for and nobody has looked at it.
 * - `pending`: it waits for another search of its webset to end.
 * - `running`: candidates are collected and judged; one search of a webset at a time.
 * - `completed`: count reached, candidates exhausted, or a limit met.
 * - `canceled`: someone ended it; its items stay.
 */
export type WebsetSearchStatus = "created" | "pending" | "running" | "completed" | "canceled";

/** What may happen to a search. */
export type WebsetSearchMove = "queue" | "start" | "complete" | "cancel";

/** The status after a move; undefined when a search in this status cannot make it. */
export function moveWebsetSearch(status: WebsetSearchStatus, move: WebsetSearchMove): WebsetSearchStatus | undefined {
  switch (move) {
    case "queue":
      return status === "created" ? "pending" : undefined;
    case "start":
      return status === "created" || status === "pending" ? "running" : undefined;
    case "complete":
      return status === "running" ? "completed" : undefined;
    case "cancel":
      return isWebsetSearchOpen(status) ? "canceled" : undefined;
  }
}

/** Whether a search has not come to its end. */
export function isWebsetSearchOpen(status: WebsetSearchStatus): boolean {
  return status === "created" || status === "pending" || status === "running";
}

/**
 * What a webset does.
 *
 * - `pending`: it was made and nothing of it has begun.
 * - `running`: a search, a cell, an import or a run of a monitor works or waits for its turn.
 * - `idle`: nothing is open: every item, cell and count is final.
 * - `paused`: someone stopped it; no new unit starts.
 */
export type WebsetStatus = "pending" | "running" | "idle" | "paused";

/** What a webset's status follows from. */
export interface WebsetActivity {
  readonly isPaused: boolean;
  readonly searches: readonly WebsetSearchStatus[];
  readonly hasOpenCells: boolean;
  readonly hasOpenWork: boolean;
}

/** The status of a webset, from its parts. */
export function statusOfWebset(activity: WebsetActivity): WebsetStatus {
  if (activity.isPaused) return "paused";
  const hasOpenSearch = activity.searches.some(isWebsetSearchOpen);
  if (!hasOpenSearch && !activity.hasOpenCells && !activity.hasOpenWork) return "idle";
  const nothingBegun =
    hasOpenSearch &&
    !activity.hasOpenCells &&
    !activity.hasOpenWork &&
    activity.searches.every((status) => status === "created" || status === "pending");
  return nothingBegun ? "pending" : "running";
}

/** `pending` until a cell was filled, the search that feeds the webset has ended, or someone ended it. */
export type WebsetEnrichmentStatus = "pending" | "completed" | "canceled";

/** The status of an enrichment: it is done when its cells are, and no more items can come by themselves. */
export function statusOfEnrichment(enrichment: {
  readonly isCanceled: boolean;
  readonly hasOpenCells: boolean;
  readonly itemsMayCome: boolean;
}): WebsetEnrichmentStatus {
  if (enrichment.isCanceled) return "canceled";
  return enrichment.hasOpenCells || enrichment.itemsMayCome ? "pending" : "completed";
}
