import type { CreateEnrichment, UpdateEnrichment, WebsetEnrichmentWire } from "@quarry/contract";
import { AppError } from "@quarry/base";
import {
  cancelOpenCells,
  chooseCellItems,
  type CellChoice,
  changeWebsetEnrichment,
  deleteWebsetEnrichment,
  findEnrichedItems,
  getWebset,
  getWebsetEnrichment,
  mayItemsCome,
  openWebsetCells,
  readWebsetParts,
  type Queryable,
  type Transaction,
  type Webset,
} from "@quarry/store";
import { FAILURE_WORDS } from "./cell-job.ts";
import { addEnrichment, type Maker } from "./create-webset.ts";
import { enqueueCells } from "./jobs.ts";
import { makeTitle } from "./make-title.ts";
import { tellIfIdle } from "./settle-webset.ts";
import { showEnrichment } from "./show-webset.ts";
import { withWebset, type WebsetReferenceOf } from "./steer-webset.ts";
import { tellItems } from "./tell-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Adds an enrichment and opens its cell of every item. */
export function createEnrichment(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  maker: Maker,
  wish: CreateEnrichment,
): Promise<WebsetEnrichmentWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const made = await addEnrichment(deps, tx, webset, maker.id, wish);
    if (made !== undefined) await reopenCells(deps, tx, webset, [made.id]);
    return shown(tx, webset, maker.id);
  });
}

/** One enrichment of a webset. */
export async function getEnrichment(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  id: string,
): Promise<WebsetEnrichmentWire> {
  const webset = await getWebset(deps.database, reference.teamId, reference.webset);
  await getWebsetEnrichment(deps.database, webset.id, id);
  return shown(deps.database, webset, id);
}

/** Changes an enrichment. What it asks being another question, its cells are filled anew, all but those a person filled. */
export function updateEnrichment(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  id: string,
  change: UpdateEnrichment,
): Promise<WebsetEnrichmentWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const before = await getWebsetEnrichment(tx, webset.id, id);
    const format = change.format ?? before.format;
    const options = format === "options" ? (change.options ?? before.options) : null;
    if (format === "options" && options === null) {
      throw new AppError("invalid_request", "options: format options needs a list of 1 to 150 {label: '...'}", {
        details: { field: "options" },
      });
    }
    const title = change.title ?? (change.description === undefined ? undefined : makeTitle(change.description));
    const metadata = change.metadata === null ? {} : change.metadata;
    const after = await changeWebsetEnrichment(
      tx,
      id,
      { title, description: change.description, format, options, metadata },
      deps.clock.now(),
    );
    const isOther =
      after.description !== before.description ||
      after.format !== before.format ||
      JSON.stringify(after.options) !== JSON.stringify(before.options);
    if (isOther && after.canceledAt === null) await reopenCells(deps, tx, webset, [id]);
    return shown(tx, webset, id);
  });
}

/** Ends the open cells of an enrichment; items that come later get none. */
export function cancelEnrichment(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  id: string,
): Promise<WebsetEnrichmentWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const now = deps.clock.now();
    await getWebsetEnrichment(tx, webset.id, id);
    await changeWebsetEnrichment(tx, id, { canceledAt: now }, now);
    const left = await cancelOpenCells(tx, { websetId: webset.id, enrichmentId: id }, now);
    await tellCellsEnded(deps, tx, webset, left);
    return shown(tx, webset, id);
  });
}

/** Removes an enrichment and its cells; answers it as it last was. */
export function deleteEnrichment(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  id: string,
): Promise<WebsetEnrichmentWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    await getWebsetEnrichment(tx, webset.id, id);
    const last = await shown(tx, webset, id);
    const left = await cancelOpenCells(tx, { websetId: webset.id, enrichmentId: id }, deps.clock.now());
    await deleteWebsetEnrichment(tx, id);
    await tellCellsEnded(deps, tx, webset, left);
    return last;
  });
}

/** Items whose events are made at once. */
const ITEMS_AT_ONCE = 500;

/** Tells what follows from the end of cells: items that have none left are enriched, and the webset may be idle. */
async function tellCellsEnded(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Webset,
  itemIds: readonly string[],
): Promise<void> {
  for (let start = 0; start < itemIds.length; start += ITEMS_AT_ONCE) {
    const enriched = await findEnrichedItems(tx, itemIds.slice(start, start + ITEMS_AT_ONCE));
    await tellItems(deps, tx, "webset.item.enriched", enriched);
  }
  if (itemIds.length > 0) await tellIfIdle(deps, tx, webset);
}

/** Which cells of a column are filled again: of these items, or by how they stand. */
export interface RunWish {
  readonly scope: CellChoice["scope"];
  /** At most so many cells, by the order in which the items came; every one when absent. */
  readonly count?: number | undefined;
  readonly itemIds?: readonly string[] | undefined;
}

/** Fills cells of a column again, all but those that a person filled; answers how many. Cells that are open stay so. */
export function runEnrichment(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  id: string,
  wish: RunWish,
): Promise<{ readonly opened: number }> {
  return withWebset(deps, reference, async (tx, webset) => {
    const { canceledAt } = await getWebsetEnrichment(tx, webset.id, id);
    if (canceledAt !== null) {
      throw new AppError("conflict", "the enrichment was canceled: add one with the same question instead");
    }
    const itemIds =
      wish.itemIds ??
      (await chooseCellItems(tx, {
        websetId: webset.id,
        enrichmentId: id,
        scope: wish.scope,
        limit: wish.count ?? MOST_CELLS,
        failureWords: FAILURE_WORDS,
      }));
    const cells = await openWebsetCells(tx, { websetId: webset.id, enrichmentIds: [id], itemIds }, deps.clock.now());
    if (webset.pausedAt === null) await enqueueCells(tx, webset, cells);
    return { opened: cells.length };
  });
}

/** More items than a webset can hold. */
const MOST_CELLS = 1_000_000;

/**
 * Opens the cells of enrichments anew and leaves their jobs: for a new one, a changed one, or a refresh. Values that a person
 * gave stay. The caller holds the webset's lock.
 */
export async function reopenCells(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Webset,
  enrichmentIds: readonly string[],
): Promise<void> {
  const cells = await openWebsetCells(tx, { websetId: webset.id, enrichmentIds }, deps.clock.now());
  if (webset.pausedAt === null) await enqueueCells(tx, webset, cells);
}

async function shown(db: Queryable, webset: Webset, id: string): Promise<WebsetEnrichmentWire> {
  const [parts] = await readWebsetParts(db, [webset]);
  const enrichment = parts?.enrichments.find((one) => one.id === id);
  if (parts === undefined || enrichment === undefined) throw new AppError("not_found", "Enrichment not found");
  return showEnrichment(enrichment, mayItemsCome(parts));
}
