import type { WebsetEnrichment } from "@quarry/store";
import { readExportRows, type Queryable, type WebsetExport } from "@quarry/store";
import type { WholeItem } from "../runs/show-item.ts";

/** Items read at once: what is in memory while a file is written. */
const ITEMS_PER_READ = 200;

/** The items of a cut in order, a batch at a time. */
export type ItemBatches = AsyncIterable<readonly WholeItem[]>;

/** Reads the items of an export's cut. */
export async function* readItemBatches(
  db: Queryable,
  written: WebsetExport,
  signal: AbortSignal,
): ItemBatches & AsyncGenerator<readonly WholeItem[]> {
  const enrichments = (written.header?.enrichments ?? []) as unknown as readonly WebsetEnrichment[];
  for (let after = 0; ;) {
    signal.throwIfAborted();
    const rows = await readExportRows(db, written.id, { after, limit: ITEMS_PER_READ });
    if (rows.length > 0) yield rows.map(({ item, cells }) => ({ item, cells, enrichments }));
    if (rows.length < ITEMS_PER_READ) return;
    after = rows.at(-1)?.number ?? after;
  }
}
