import { AppError } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { toJsonb } from "../jsonb.ts";
import {
  toWebsetCell,
  toWebsetEnrichment,
  WEBSET_CELL_COLUMNS,
  WEBSET_ENRICHMENT_COLUMNS,
  type WebsetCell,
  type WebsetCellRow,
  type WebsetEnrichment,
  type WebsetEnrichmentRow,
} from "./webset-enrichment.ts";
import { asJson } from "./webset.ts";

/** What a new enrichment is made of. */
export type NewWebsetEnrichment = Omit<WebsetEnrichment, "canceledAt" | "createdAt" | "updatedAt">;

/** Makes an enrichment; the same id again changes nothing and answers undefined. The caller holds the webset's lock. */
export async function insertWebsetEnrichment(
  tx: Transaction,
  enrichment: NewWebsetEnrichment,
  now: Date,
): Promise<WebsetEnrichment | undefined> {
  const [row] = await tx.query<WebsetEnrichmentRow>(
    `INSERT INTO webset_enrichments (id, webset_id, team_id, title, description, format, options, instructions, metadata,
       created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) ON CONFLICT (id) DO NOTHING
     RETURNING ${WEBSET_ENRICHMENT_COLUMNS}`,
    [
      enrichment.id,
      enrichment.websetId,
      enrichment.teamId,
      enrichment.title,
      enrichment.description,
      enrichment.format,
      enrichment.options === null ? null : toJsonb(asJson(enrichment.options)),
      enrichment.instructions,
      toJsonb(enrichment.metadata),
      now,
    ],
  );
  return row === undefined ? undefined : toWebsetEnrichment(row);
}

/** An enrichment of a webset; throws `not_found`. */
export async function getWebsetEnrichment(db: Queryable, websetId: string, id: string): Promise<WebsetEnrichment> {
  const [row] = await db.query<WebsetEnrichmentRow>(
    `SELECT ${WEBSET_ENRICHMENT_COLUMNS} FROM webset_enrichments WHERE id = $1`,
    [id],
  );
  if (row?.webset_id !== websetId) throw new AppError("not_found", "Enrichment not found");
  return toWebsetEnrichment(row);
}

/** A webset's enrichments, in the order in which they were made. */
export async function listWebsetEnrichments(db: Queryable, websetId: string): Promise<readonly WebsetEnrichment[]> {
  const rows = await db.query<WebsetEnrichmentRow>(
    `SELECT ${WEBSET_ENRICHMENT_COLUMNS} FROM webset_enrichments WHERE webset_id = $1 ORDER BY sequence`,
    [websetId],
  );
  return rows.map(toWebsetEnrichment);
}

/** Changes an enrichment; the caller holds the webset's lock. */
export async function changeWebsetEnrichment(
  tx: Transaction,
  id: string,
  change: {
    readonly title?: string | null | undefined;
    readonly description?: string | undefined;
    readonly format?: WebsetEnrichment["format"] | undefined;
    readonly options?: WebsetEnrichment["options"] | undefined;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly canceledAt?: Date | undefined;
  },
  now: Date,
): Promise<WebsetEnrichment> {
  const [row] = await tx.query<WebsetEnrichmentRow>(
    `UPDATE webset_enrichments SET title = CASE WHEN $2 THEN $3::text ELSE title END, description = coalesce($4::text, description),
       format = coalesce($5::text, format), options = CASE WHEN $6 THEN $7::jsonb ELSE options END,
       metadata = coalesce($8::jsonb, metadata), canceled_at = coalesce(canceled_at, $9::timestamptz), updated_at = $10
     WHERE id = $1 RETURNING ${WEBSET_ENRICHMENT_COLUMNS}`,
    [
      id,
      change.title !== undefined,
      change.title ?? null,
      change.description ?? null,
      change.format ?? null,
      change.options !== undefined,
      change.options === undefined || change.options === null ? null : toJsonb(asJson(change.options)),
      change.metadata === undefined ? null : toJsonb(change.metadata),
      change.canceledAt ?? null,
      now,
    ],
  );
  if (row === undefined) throw new AppError("not_found", "Enrichment not found");
  return toWebsetEnrichment(row);
}

/** Removes an enrichment and its cells; the caller holds the webset's lock. */
export async function deleteWebsetEnrichment(tx: Transaction, id: string): Promise<void> {
  await tx.query("DELETE FROM webset_enrichments WHERE id = $1", [id]);
}

/** A cell, with what tells which filling of it is meant. */
export interface OpenCell {
  readonly itemId: string;
  readonly enrichmentId: string;
  readonly round: number;
}

/**
 * Opens cells: of one item for every enrichment given, or of every item of the webset. Cells that a person filled stay as
 * they are; ones that are open stay open. Answers those now open by this. The caller holds the webset's lock.
 */
export async function openWebsetCells(
  tx: Transaction,
  cells: { readonly websetId: string; readonly enrichmentIds: readonly string[]; readonly itemIds?: readonly string[] },
  now: Date,
): Promise<readonly OpenCell[]> {
  if (cells.enrichmentIds.length === 0) return [];
  const rows = await tx.query<{ readonly item_id: string; readonly enrichment_id: string; readonly round: number }>(
    `INSERT INTO webset_cells AS known (item_id, enrichment_id, webset_id, status, updated_at)
     SELECT item.id, enrichment_id, item.webset_id, 'pending', $4::timestamptz
     FROM webset_items AS item CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS wanted (enrichment_id, place)
     WHERE item.webset_id = $1 AND ($3::text[] IS NULL OR item.id = ANY ($3))
     ORDER BY item.sequence, wanted.place
     ON CONFLICT (item_id, enrichment_id) DO UPDATE SET status = 'pending', result = NULL, reasoning = NULL,
       references_json = '[]', round = known.round + 1, updated_at = $4
     WHERE known.status <> 'pending' AND known.human IS NULL
     RETURNING item_id, enrichment_id, round`,
    [cells.websetId, cells.enrichmentIds, cells.itemIds ?? null, now],
  );
  return rows.map((row) => ({ itemId: row.item_id, enrichmentId: row.enrichment_id, round: row.round }));
}

/** Which cells of a column are to be filled again. */
export interface CellChoice {
  readonly websetId: string;
  readonly enrichmentId: string;
  /** Every one, those without a value, or those whose last run was ended or given up. */
  readonly scope: "all" | "empty" | "failed";
  /** At most so many, by the order in which the items came. */
  readonly limit: number;
  /** How the reasoning of a cell begins that was given up. */
  readonly failureWords: readonly string[];
}

/** The items whose cell of a column is meant; the caller holds the webset's lock. */
export async function chooseCellItems(tx: Transaction, choice: CellChoice): Promise<readonly string[]> {
  const rows = await tx.query<{ readonly id: string }>(
    `SELECT item.id FROM webset_items AS item
       LEFT JOIN webset_cells AS cell ON cell.item_id = item.id AND cell.enrichment_id = $2
     WHERE item.webset_id = $1 AND CASE $3::text
       WHEN 'empty' THEN cell.item_id IS NULL OR cell.status = 'canceled' OR (cell.status = 'completed' AND cell.result IS NULL)
       WHEN 'failed' THEN cell.status = 'canceled'
         OR (cell.status = 'completed' AND cell.result IS NULL AND EXISTS (SELECT FROM unnest($5::text[]) AS word WHERE starts_with(cell.reasoning, word)))
       ELSE true END
     ORDER BY item.sequence LIMIT $4`,
    [choice.websetId, choice.enrichmentId, choice.scope, choice.limit, choice.failureWords],
  );
  return rows.map(({ id }) => id);
}

/** The open cells of a webset. */
export async function listOpenCells(db: Queryable, websetId: string): Promise<readonly OpenCell[]> {
  const rows = await db.query<{ readonly item_id: string; readonly enrichment_id: string; readonly round: number }>(
    "SELECT item_id, enrichment_id, round FROM webset_cells WHERE webset_id = $1 AND status = 'pending'",
    [websetId],
  );
  return rows.map((row) => ({ itemId: row.item_id, enrichmentId: row.enrichment_id, round: row.round }));
}

/** A cell; undefined when there is none. */
export async function findWebsetCell(
  db: Queryable,
  itemId: string,
  enrichmentId: string,
): Promise<WebsetCell | undefined> {
  const [row] = await db.query<WebsetCellRow>(
    `SELECT ${WEBSET_CELL_COLUMNS} FROM webset_cells WHERE item_id = $1 AND enrichment_id = $2`,
    [itemId, enrichmentId],
  );
  return row === undefined ? undefined : toWebsetCell(row);
}

/** The cells of items. */
export async function listWebsetCells(db: Queryable, itemIds: readonly string[]): Promise<readonly WebsetCell[]> {
  const rows = await db.query<WebsetCellRow>(
    `SELECT ${WEBSET_CELL_COLUMNS} FROM webset_cells WHERE item_id = ANY ($1)`,
    [itemIds],
  );
  return rows.map(toWebsetCell);
}

/** What is written into a cell. */
export type CellFilling = Pick<WebsetCell, "result" | "reasoning" | "references" | "human">;

/** Fills an open cell of this round; false when it is no longer that. The caller holds the webset's lock. */
export async function fillWebsetCell(
  tx: Transaction,
  cell: OpenCell,
  filling: CellFilling,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE webset_cells SET status = 'completed', result = $4, reasoning = $5, references_json = $6, human = $7, updated_at = $8
     WHERE item_id = $1 AND enrichment_id = $2 AND round = $3 AND status = 'pending' RETURNING 1`,
    [cell.itemId, cell.enrichmentId, cell.round, ...fillingValues(filling), now],
  );
  if (rows.length === 1) await touchItem(tx, cell.itemId, now);
  return rows.length === 1;
}

/** Puts a person's value into a cell, whatever it is; the caller holds the webset's lock. */
export async function overrideWebsetCell(
  tx: Transaction,
  place: { readonly websetId: string; readonly itemId: string; readonly enrichmentId: string },
  filling: CellFilling,
  now: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO webset_cells AS known (item_id, enrichment_id, webset_id, status, result, reasoning, references_json, human, updated_at)
     VALUES ($1, $2, $3, 'completed', $4, $5, $6, $7, $8)
     ON CONFLICT (item_id, enrichment_id) DO UPDATE SET status = 'completed', result = $4, reasoning = $5,
       references_json = $6, human = $7, round = known.round + 1, updated_at = $8`,
    [place.itemId, place.enrichmentId, place.websetId, ...fillingValues(filling), now],
  );
  await touchItem(tx, place.itemId, now);
}

/** Ends the open cells of an enrichment, or of the whole webset; answers the items that had them, one for each. */
export async function cancelOpenCells(
  tx: Transaction,
  cells: { readonly websetId: string; readonly enrichmentId?: string },
  now: Date,
): Promise<readonly string[]> {
  const rows = await tx.query<{ readonly item_id: string }>(
    `UPDATE webset_cells SET status = 'canceled', updated_at = $3
     WHERE webset_id = $1 AND status = 'pending' AND ($2::text IS NULL OR enrichment_id = $2) RETURNING item_id`,
    [cells.websetId, cells.enrichmentId ?? null, now],
  );
  return rows.map((row) => row.item_id);
}

/** Whether every cell of an item has come to its end. */
export async function isItemEnriched(db: Queryable, itemId: string): Promise<boolean> {
  const [row] = await db.query<{ readonly open: boolean }>(
    "SELECT EXISTS (SELECT FROM webset_cells WHERE item_id = $1 AND status = 'pending') AS open",
    [itemId],
  );
  return row?.open === false;
}

async function touchItem(tx: Transaction, itemId: string, now: Date): Promise<void> {
  await tx.query("UPDATE webset_items SET updated_at = $2 WHERE id = $1", [itemId, now]);
}

function fillingValues(filling: CellFilling): readonly unknown[] {
  return [
    filling.result === null ? null : toJsonb(filling.result),
    filling.reasoning,
    toJsonb(asJson(filling.references)),
    filling.human === null ? null : toJsonb(asJson(filling.human)),
  ];
}
