import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { toJsonb } from "../jsonb.ts";
import type { PastValue } from "./webset-enrichment.ts";
import {
  toWebsetItem,
  WEBSET_ITEM_COLUMNS,
  type WebsetEvaluation,
  type WebsetItem,
  type WebsetItemRow,
} from "./webset-item.ts";
import { asJson } from "./webset.ts";

/** What a new item is made of. */
export type NewWebsetItem = Omit<WebsetItem, "sequence" | "createdAt" | "updatedAt">;

/** Adds an item unless its entity is in the webset already (then undefined): `insertWebsetItems` with one. */
export async function insertWebsetItem(
  tx: Transaction,
  item: NewWebsetItem,
  now: Date,
): Promise<WebsetItem | undefined> {
  return (await insertWebsetItems(tx, item.websetId, [item], now))[0];
}

/**
 * Adds items of one webset, in their order, but for those whose entity it has already, and counts them. Answers those that were
 * added. The caller holds the webset's lock and has checked the caps.
 */
export async function insertWebsetItems(
  tx: Transaction,
  websetId: string,
  items: readonly NewWebsetItem[],
  now: Date,
): Promise<readonly WebsetItem[]> {
  const wanted = items.map((item) => ({
    id: item.id,
    team_id: item.teamId,
    entity_key: item.entityKey,
    identities: item.identities,
    entity: item.entity,
    group_key: item.groupKey,
    source: item.source,
    source_id: item.sourceId,
    source_entity_id: item.sourceEntityId,
    scope_id: item.scopeId,
    content_snapshot_id: item.contentSnapshotId,
    content_extractor_version: item.contentExtractorVersion,
    evaluations: asJson(item.evaluations),
  }));
  const rows = await tx.query<WebsetItemRow>(
    `INSERT INTO webset_items (id, webset_id, team_id, entity_key, identities, entity, group_key, source, source_id,
       source_entity_id, scope_id, content_snapshot_id, content_extractor_version, evaluations, created_at, updated_at)
     SELECT id, $1, team_id, entity_key, ARRAY(SELECT jsonb_array_elements_text(identities)), entity, group_key, source,
       source_id, source_entity_id, scope_id, content_snapshot_id, content_extractor_version, evaluations, $3, $3
     FROM ROWS FROM (jsonb_to_recordset($2) AS (id text, team_id text, entity_key text, identities jsonb, entity jsonb,
       group_key text, source text, source_id text, source_entity_id text, scope_id text, content_snapshot_id text,
       content_extractor_version text, evaluations jsonb)) WITH ORDINALITY ORDER BY ordinality
     ON CONFLICT (webset_id, entity_key) DO NOTHING RETURNING ${WEBSET_ITEM_COLUMNS}`,
    [websetId, toJsonb(wanted), now],
  );
  if (rows.length === 0) return [];
  await tx.query("UPDATE websets SET item_count = item_count + $3, updated_at = $2 WHERE id = $1", [
    websetId,
    now,
    rows.length,
  ]);
  return rows.map(toWebsetItem);
}

/** An item of a webset; throws `not_found`. */
export async function getWebsetItem(db: Queryable, websetId: string, id: string): Promise<WebsetItem> {
  const [row] = await db.query<WebsetItemRow>(`SELECT ${WEBSET_ITEM_COLUMNS} FROM webset_items WHERE id = $1`, [id]);
  if (row?.webset_id !== websetId) throw new AppError("not_found", "Item not found");
  return toWebsetItem(row);
}

/** An item by its id, whoever's; for its jobs. */
export async function findWebsetItem(db: Queryable, id: string): Promise<WebsetItem | undefined> {
  const [row] = await db.query<WebsetItemRow>(`SELECT ${WEBSET_ITEM_COLUMNS} FROM webset_items WHERE id = $1`, [id]);
  return row === undefined ? undefined : toWebsetItem(row);
}

/** Those of these items that have no open cell, in the order in which they came. */
export async function findEnrichedItems(db: Queryable, ids: readonly string[]): Promise<readonly WebsetItem[]> {
  const rows = await db.query<WebsetItemRow>(
    `SELECT ${WEBSET_ITEM_COLUMNS} FROM webset_items AS item WHERE id = ANY ($1)
       AND NOT EXISTS (SELECT FROM webset_cells AS cell WHERE cell.item_id = item.id AND cell.status = 'pending')
     ORDER BY sequence`,
    [ids],
  );
  return rows.map(toWebsetItem);
}

/** A webset's items in the order in which they came. */
export async function listWebsetItems(
  db: Queryable,
  websetId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly sourceId?: string | undefined },
): Promise<Page<WebsetItem>> {
  const after = page.cursor === undefined ? null : readPosition(page.cursor);
  const filter = page.sourceId === undefined ? "" : "AND source_id = $4";
  const rows = await db.query<WebsetItemRow>(
    `SELECT ${WEBSET_ITEM_COLUMNS} FROM webset_items
     WHERE webset_id = $1 AND ($2::bigint IS NULL OR sequence > $2) ${filter} ORDER BY sequence LIMIT $3`,
    [websetId, after, page.limit + 1, ...(page.sourceId === undefined ? [] : [page.sourceId])],
  );
  return toPage(rows.map(toWebsetItem), page.limit, ({ sequence }) => [String(sequence)]);
}

/** Throws `invalid_request` for a cursor that is not ours. */
function readPosition(cursor: string): string {
  const [position = ""] = decodeCursor(cursor, 1);
  if (/^\d{1,18}$/.test(position)) return position;
  throw new AppError("invalid_request", "cursor: not one of this list; pass nextCursor of the page before, unchanged", {
    details: { field: "cursor" },
  });
}

/** The extracted texts that items show as their content, by item id. */
export async function readItemContents(
  db: Queryable,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ readonly id: string; readonly text: string }>(
    `SELECT item.id, text.text FROM webset_items AS item JOIN extracted_texts AS text
       ON text.snapshot_id = item.content_snapshot_id AND text.extractor_version = item.content_extractor_version
     WHERE item.id = ANY ($1)`,
    [itemIds],
  );
  return new Map(rows.map(({ id, text }) => [id, text]));
}

/** Gives an item new verdicts, and what it was judged by; the caller holds the webset's lock. */
export async function updateWebsetItem(
  tx: Transaction,
  id: string,
  change: { readonly evaluations: readonly WebsetEvaluation[] },
  now: Date,
): Promise<WebsetItem> {
  const [row] = await tx.query<WebsetItemRow>(
    `UPDATE webset_items SET evaluations = $2, updated_at = $3 WHERE id = $1 RETURNING ${WEBSET_ITEM_COLUMNS}`,
    [id, toJsonb(asJson(change.evaluations)), now],
  );
  if (row === undefined) throw new AppError("not_found", "Item not found");
  return toWebsetItem(row);
}

/** Removes an item with its cells and history; false when it was gone. The caller holds the webset's lock. */
export async function deleteWebsetItem(tx: Transaction, websetId: string, id: string, now: Date): Promise<boolean> {
  const rows = await tx.query("DELETE FROM webset_items WHERE id = $1 AND webset_id = $2 RETURNING 1", [id, websetId]);
  if (rows.length === 0) return false;
  await tx.query("DELETE FROM snapshot_citations WHERE cited_by_kind = 'webset_item' AND cited_by_id = $1", [id]);
  await tx.query("UPDATE websets SET item_count = item_count - 1, updated_at = $2 WHERE id = $1", [websetId, now]);
  return true;
}

/** Of these identities, those that items of the websets have. */
export async function findKnownIdentities(
  db: Queryable,
  websetIds: readonly string[],
  identities: readonly string[],
): Promise<ReadonlySet<string>> {
  if (websetIds.length === 0 || identities.length === 0) return new Set();
  const rows = await db.query<{ readonly identity: string }>(
    `SELECT DISTINCT identity FROM webset_items CROSS JOIN unnest(identities) AS identity
     WHERE webset_id = ANY ($1) AND identities && $2::text[] AND identity = ANY ($2)`,
    [websetIds, identities],
  );
  return new Set(rows.map(({ identity }) => identity));
}

/** How many items of a webset share a group, such as people of one company. */
export async function countItemsOfGroup(db: Queryable, websetId: string, groupKey: string): Promise<number> {
  const [row] = await db.query<{ readonly count: number }>(
    "SELECT count(*) AS count FROM webset_items WHERE webset_id = $1 AND group_key = $2",
    [websetId, groupKey],
  );
  return row?.count ?? 0;
}

/** Keeps a value that is about to be replaced. */
export async function archiveValue(
  tx: Transaction,
  place: { readonly itemId: string; readonly subject: string },
  entry: PastValue,
): Promise<void> {
  await tx.query("INSERT INTO webset_past_values (item_id, subject, entry) VALUES ($1, $2, $3)", [
    place.itemId,
    place.subject,
    toJsonb(asJson(entry)),
  ]);
}

/** The replaced values of a verdict or a cell, oldest first. */
export async function listPastValues(db: Queryable, itemId: string, subject: string): Promise<readonly PastValue[]> {
  const rows = await db.query<{ readonly entry: PastValue }>(
    "SELECT entry FROM webset_past_values WHERE item_id = $1 AND subject = $2 ORDER BY id",
    [itemId, subject],
  );
  return rows.map(({ entry }) => entry);
}
