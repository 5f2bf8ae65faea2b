import { nextVisitAt, recordVisit, startHistory } from "@quarry/crawl";
import type { QueuedPage, RecrawlSettings, VisitedPage } from "@quarry/store";
import type { IngestOutcome } from "../save-prepared.ts";
import type { VisitOutcome } from "./visit-page.ts";

const HOUR_MS = 60 * 60 * 1000;

/** When a page is visited again: by how often it changes, as far as its visits tell, within the crawl's bounds. */
export function scheduleNext(
  { minHours, maxHours }: RecrawlSettings,
  { page, outcome }: { readonly page: QueuedPage; readonly outcome: VisitOutcome },
  ingested: IngestOutcome | undefined,
  now: Date,
): VisitedPage["schedule"] {
  const start = startHistory();
  const history =
    page.seen === null
      ? { ...start, intervalMs: page.statedIntervalMs ?? start.intervalMs }
      : recordVisit(page.seen.history, {
          elapsedMs: now.getTime() - page.seen.visitedAt.getTime(),
          changed: isChanged(outcome, ingested),
        });
  const intervalMs = Math.min(Math.max(history.intervalMs, minHours * HOUR_MS), maxHours * HOUR_MS);
  return { ...history, intervalMs, nextVisitAt: nextVisitAt({ ...history, intervalMs }, now, page.url) };
}

function isChanged(outcome: VisitOutcome, ingested: IngestOutcome | undefined): boolean {
  if (outcome.kind !== "fetched" || ingested?.kind !== "saved") return false;
  return ingested.saved.status === "created" || ingested.saved.status === "updated";
}
