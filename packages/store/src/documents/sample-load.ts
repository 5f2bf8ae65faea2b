import type { Queryable } from "../database.ts";
import { SHARED_TEAM } from "./document.ts";

/** Whether the sample comes by itself, to a store that has never had a document, or because somebody asked for it. */
export type SampleWish = "by-itself" | "asked-for";

/**
 * Whether the sample is still to be loaded, in whole or, after a crash, in part: begun now or before, and not finished
 * since. Safe when several processes ask at once; each then loads the same pages.
 */
export async function beginSampleLoad(db: Queryable, wish: SampleWish, now: Date): Promise<boolean> {
  await db.query(
    `INSERT INTO sample_load (begun_at)
     SELECT $1
     WHERE $2 OR (NOT EXISTS (SELECT FROM documents) AND NOT EXISTS (SELECT FROM document_history))
     ON CONFLICT DO NOTHING`,
    [now, wish === "asked-for"],
  );
  const [row] = await db.query<{ finished_at: Date | null }>("SELECT finished_at FROM sample_load");
  return row?.finished_at === null;
}

/** Whether the sample was loaded once; its pages may have been deleted since. */
export async function isSampleLoaded(db: Queryable): Promise<boolean> {
  const rows = await db.query("SELECT FROM sample_load WHERE finished_at IS NOT NULL");
  return rows.length > 0;
}

/** All pages of the sample are there: no later start loads them again. */
export async function finishSampleLoad(db: Queryable, now: Date): Promise<void> {
  await db.query("UPDATE sample_load SET finished_at = $1 WHERE finished_at IS NULL", [now]);
}

/** Those of `urls` that a shared document has, or once had: a deleted one does not come back. */
export async function findSharedHistory(db: Queryable, urls: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ url: string }>(
    "SELECT DISTINCT url FROM document_history WHERE team_id = $1 AND url = ANY ($2)",
    [SHARED_TEAM, urls],
  );
  return new Set(rows.map(({ url }) => url));
}

/** Whether there is any document, anybody's. */
export async function hasDocuments(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ exists: boolean }>("SELECT EXISTS (SELECT FROM documents WHERE deleted_at IS NULL)");
  return row?.exists ?? false;
}
