import { AppError } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { toJsonb } from "../jsonb.ts";

/** One row of an imported file: an entity that someone knows. */
export interface ImportRow {
  /** 1, 2, 3 … in the order of the file. */
  readonly number: number;
  /** What the identifying column says. */
  readonly identifier: string;
  /** The identifier as a canonical address, or that of another column; null when the row has none. */
  readonly url: string | null;
  /** What a column of names says. */
  readonly name: string | null;
  /** Every cell by the name of its column, empty ones left out. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The most rows one read returns. */
export const MAX_IMPORT_ROWS_PER_READ = 1_000;

/**
 * The rows of a team's import after number `after` (0 for the first), in the order of the file, at most `limit`
 * (1,000 unless told). Fewer than asked for means that there are no more. Another team's import has no rows.
 */
export async function readImportRows(
  db: Queryable,
  importId: string,
  options: { readonly teamId: string; readonly after?: number; readonly limit?: number },
): Promise<readonly ImportRow[]> {
  return db.query<ImportRow>(
    `SELECT entry.number, entry.identifier, entry.url, entry.name, entry.fields FROM import_rows AS entry
     JOIN imports ON imports.id = entry.import_id AND imports.team_id = $2 AND imports.status = 'completed'
     WHERE entry.import_id = $1 AND entry.number > $3 ORDER BY entry.number LIMIT $4`,
    [importId, options.teamId, options.after ?? 0, Math.min(options.limit ?? Infinity, MAX_IMPORT_ROWS_PER_READ)],
  );
}

/**
 * Keeps one batch, and how far the file has been read with it. Throws `conflict` when another worker has gone on in
 * the meantime or the import is no longer read: then nothing of the batch is kept.
 */
export async function keepImportRows(
  tx: Transaction,
  importId: string,
  batch: {
    readonly recordsBefore: number;
    readonly recordsAfter: number;
    readonly rows: readonly Omit<ImportRow, "number">[];
    readonly now: Date;
  },
): Promise<void> {
  const [open] = await tx.query<{ readonly rows_kept: number }>(
    `UPDATE imports SET records_read = $3, rows_kept = rows_kept + $4, updated_at = $5
     WHERE id = $1 AND status = 'processing' AND records_read = $2 RETURNING rows_kept`,
    [importId, batch.recordsBefore, batch.recordsAfter, batch.rows.length, batch.now],
  );
  if (open === undefined) {
    // Retryable: the worker that holds the job may be the one that was overtaken, by one that has just lost it.
    throw new AppError("conflict", "the import has gone on, or ended, without this worker", { retryable: true });
  }
  if (batch.rows.length === 0) return;
  await tx.query(
    `INSERT INTO import_rows (import_id, number, identifier, url, name, fields)
     SELECT $1, $2 + place, entry ->> 'identifier', entry ->> 'url', entry ->> 'name', entry -> 'fields'
     FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS given (entry, place)`,
    [importId, open.rows_kept - batch.rows.length, toJsonb(batch.rows.map((row) => ({ ...row })))],
  );
}

/** How many rows an import has, counted. */
export async function countImportRows(db: Queryable, importId: string): Promise<number> {
  const [row] = await db.query<{ readonly count: number }>(
    "SELECT count(*) AS count FROM import_rows WHERE import_id = $1",
    [importId],
  );
  return row?.count ?? 0;
}

/** Throws away what was kept of a file that turned out to be no good. */
export async function dropImportRows(tx: Transaction, importId: string): Promise<void> {
  await tx.query("DELETE FROM import_rows WHERE import_id = $1", [importId]);
}
