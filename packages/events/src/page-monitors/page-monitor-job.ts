import type { Clock } from "@quarry/base";
import {
  appendEvent,
  findPageMonitor,
  getExtractedText,
  recordPageCheck,
  type CitedText,
  type Database,
  type JobHandler,
  type Json,
  type PageMonitor,
} from "@quarry/store";
import { showPageMonitor } from "./show-page-monitor.ts";

/** A page as it is on the web now, kept as a snapshot; or why it could not be read. */
export type PageReadNow =
  | { readonly kind: "read"; readonly text: string; readonly kept: CitedText }
  | { readonly kind: "failed"; readonly error: string };

/** What checking pages needs from the rooms above. */
export interface PageMonitorDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Rejects only when `signal` aborts, or for a fault of ours. */
  readonly readPage: (
    page: { readonly teamId: string; readonly url: string },
    signal: AbortSignal,
  ) => Promise<PageReadNow>;
  readonly compareTexts: (
    from: string,
    to: string,
    names: { readonly from: string; readonly to: string },
  ) => { readonly added: number; readonly removed: number; readonly diff: string };
}

/** An event is read by programs and by people: a longer diff is had from the snapshots. */
const MAX_DIFF_CHARACTERS = 20_000;

/**
 * Does the jobs of kind `page-monitor`: reads the page, compares its text with that of the last check, and keeps the
 * outcome, the event and the next check in one transaction. The first reading is what later ones are compared with.
 */
export function createPageMonitorHandler(deps: PageMonitorDeps): JobHandler {
  const { database, clock } = deps;
  return async (run) => {
    const { monitorId, dueAt } = run.job.payload as { readonly monitorId: string; readonly dueAt: string };
    const due = { id: monitorId, dueAt: new Date(dueAt) };
    const monitor = await findPageMonitor(database, monitorId);
    if (monitor?.nextCheckAt?.getTime() !== due.dueAt.getTime()) return run.complete(); // changed or removed since
    const page = await deps.readPage(monitor, run.signal);
    const change = page.kind === "read" ? await findChange(deps, monitor, page) : undefined;
    return run.complete(async (tx) => {
      const now = clock.now();
      const check = {
        text: page.kind === "read" ? page.kept : null,
        isChanged: change !== undefined,
        error: page.kind === "read" ? null : page.error,
      };
      const after = await recordPageCheck(tx, due, check, now);
      if (after === undefined) return;
      const event = (type: string, more: Json): Promise<unknown> =>
        appendEvent(
          tx,
          {
            teamId: after.teamId,
            type,
            resource: { kind: "page_monitor", id: after.id },
            data: { ...showPageMonitor(after), ...(more as object) },
          },
          now,
        );
      if (change !== undefined) await event("page_monitor.changed", { change });
      // Once, when it begins to fail: its state tells the rest.
      if (check.error !== null && monitor.error === null) await event("page_monitor.failed", {});
    });
  };
}

async function findChange(
  deps: PageMonitorDeps,
  monitor: PageMonitor,
  page: Extract<PageReadNow, { kind: "read" }>,
): Promise<Json | undefined> {
  if (monitor.text === null) return undefined;
  const { snapshotId, extractorVersion } = monitor.text;
  if (snapshotId === page.kept.snapshotId) return undefined; // the same bytes, perhaps read by a newer extractor
  const before = await getExtractedText(deps.database, snapshotId, extractorVersion);
  if (before === undefined || before.text === page.text) return undefined;
  const { added, removed, diff } = deps.compareTexts(before.text, page.text, {
    from: `snapshot ${snapshotId.slice(0, 12)}`,
    to: `snapshot ${page.kept.snapshotId.slice(0, 12)}`,
  });
  return {
    fromSnapshotId: snapshotId,
    toSnapshotId: page.kept.snapshotId,
    added,
    removed,
    diff: diff.slice(0, MAX_DIFF_CHARACTERS),
    isDiffCut: diff.length > MAX_DIFF_CHARACTERS,
  };
}
