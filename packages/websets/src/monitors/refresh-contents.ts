import {
  advanceMonitorRun,
  citeSnapshots,
  listWebsetItems,
  updateItemContent,
  type Database,
  type MonitorRun,
  type Transaction,
} from "@quarry/store";
import { encodeCursor, type Clock } from "@quarry/base";
import type { MonitorEngine } from "./monitor-engine.ts";

/** Items whose pages are read in one step, all at once. */
const ITEMS_PER_STEP = 8;

/** What one step has read; kept in the transaction that ends its job. */
export interface RefreshStep {
  readonly keep: (tx: Transaction) => Promise<void>;
  readonly isLast: boolean;
}

/** Reads the pages of the next items anew. A page that cannot be read now leaves its item as it was. */
export async function refreshContents(
  deps: { readonly database: Database; readonly clock: Clock; readonly engine: MonitorEngine },
  work: { readonly run: MonitorRun; readonly websetId: string },
  signal: AbortSignal,
): Promise<RefreshStep> {
  const { run, websetId } = work;
  const cursor = encodeCursor([String(run.position)]);
  const page = await listWebsetItems(deps.database, websetId, { limit: ITEMS_PER_STEP, cursor });
  const read = await Promise.all(
    page.data.map(async (item) => {
      const { url } = item.entity as { readonly url?: string };
      const text = url === undefined ? undefined : await deps.engine.readPageNow({ teamId: item.teamId, url }, signal);
      return { item, text };
    }),
  );
  return {
    isLast: !page.hasMore,
    keep: async (tx) => {
      const now = deps.clock.now();
      const to = page.data.at(-1)?.sequence ?? run.position;
      await advanceMonitorRun(tx, run.id, { from: run.position, to, now });
      for (const { item, text } of read) {
        if (text === undefined || text.snapshotId === item.contentSnapshotId) continue;
        await citeSnapshots(tx, { kind: "webset_item", id: item.id }, [text]);
        await updateItemContent(tx, item.id, text, now);
      }
    },
  };
}
