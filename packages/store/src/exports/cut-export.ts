import type { Queryable, Transaction } from "../database.ts";
import { toJsonb } from "../jsonb.ts";
import { lockWebset } from "../websets/manage-websets.ts";
import { listWebsetEnrichments } from "../websets/manage-webset-enrichments.ts";
import { listWebsetSearches } from "../websets/manage-webset-searches.ts";
import { toWebsetCell, type WebsetCell, type WebsetCellRow } from "../websets/webset-enrichment.ts";
import { toWebsetItem, type WebsetItem, type WebsetItemRow } from "../websets/webset-item.ts";
import { asJson } from "../websets/webset.ts";
import {
  toWebsetExport,
  WEBSET_EXPORT_COLUMNS,
  type WebsetExport,
  type WebsetExportHeader,
  type WebsetExportRow,
} from "./webset-export.ts";

/** One item of the cut with its cells. */
export interface ExportedItem {
  /** 1, 2, 3 … in the order in which the items came. */
  readonly number: number;
  readonly item: WebsetItem;
  readonly cells: readonly WebsetCell[];
}

/**
 * Copies a webset's items as they are at this moment, and what its columns are. Whoever changes a webset holds its lock,
 * and so does this: nothing of a change is seen without the rest of it. Done once; an export that has its cut keeps it.
 * Undefined when the export has ended, or the webset is gone.
 */
export async function cutExport(tx: Transaction, wanted: WebsetExport, now: Date): Promise<WebsetExport | undefined> {
  const webset = await lockWebset(tx, wanted.websetId);
  const [locked] = await tx.query<WebsetExportRow>(
    `SELECT ${WEBSET_EXPORT_COLUMNS} FROM webset_exports WHERE id = $1 FOR UPDATE`,
    [wanted.id],
  );
  if (webset === undefined || locked === undefined) return undefined;
  if (locked.status !== "pending") return locked.status === "processing" ? toWebsetExport(locked) : undefined;
  const searches = await listWebsetSearches(tx, webset.id);
  const enrichments = await listWebsetEnrichments(tx, webset.id);
  const types = await tx.query<{ readonly type: string | null }>(
    `SELECT DISTINCT entity -> 'properties' ->> 'type' AS type FROM webset_items WHERE webset_id = $1 ORDER BY 1`,
    [webset.id],
  );
  const header: WebsetExportHeader = {
    title: webset.title,
    types: types.flatMap(({ type }) => (type === null ? [] : [type])),
    criteria: [...new Set(searches.flatMap(({ criteria }) => criteria.map(({ description }) => description)))],
    enrichments: enrichments.map(({ id, title, description, format }) => ({ id, title, description, format })),
  };
  await tx.query(
    `INSERT INTO webset_export_rows (export_id, number, item)
     SELECT $1, row_number() OVER (ORDER BY item.sequence), jsonb_build_object('item', to_jsonb(item), 'cells', (
       SELECT coalesce(jsonb_agg(to_jsonb(cell)), '[]') FROM webset_cells AS cell WHERE cell.item_id = item.id
     )) FROM webset_items AS item WHERE item.webset_id = $2`,
    [wanted.id, webset.id],
  );
  const [row] = await tx.query<WebsetExportRow>(
    `UPDATE webset_exports SET status = 'processing', header = $2, updated_at = $3,
       count = (SELECT count(*) FROM webset_export_rows WHERE export_id = $1)
     WHERE id = $1 RETURNING ${WEBSET_EXPORT_COLUMNS}`,
    [wanted.id, toJsonb(asJson(header)), now],
  );
  return row === undefined ? undefined : toWebsetExport(row);
}

/** Items of a cut after number `after`, in order. */
export async function readExportRows(
  db: Queryable,
  exportId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly ExportedItem[]> {
  const rows = await db.query<{
    readonly number: number;
    readonly item: { readonly item: JsonRow<WebsetItemRow>; readonly cells: readonly JsonRow<WebsetCellRow>[] };
  }>("SELECT number, item FROM webset_export_rows WHERE export_id = $1 AND number > $2 ORDER BY number LIMIT $3", [
    exportId,
    page.after,
    page.limit,
  ]);
  return rows.map(({ number, item: { item, cells } }) => ({
    number,
    item: toWebsetItem({ ...item, created_at: new Date(item.created_at), updated_at: new Date(item.updated_at) }),
    cells: cells.map((cell) => toWebsetCell({ ...cell, updated_at: new Date(cell.updated_at) })),
  }));
}

/** A row as JSON has it: times are texts. */
type JsonRow<Row> = { readonly [Key in keyof Row]: Row[Key] extends Date ? string : Row[Key] };
