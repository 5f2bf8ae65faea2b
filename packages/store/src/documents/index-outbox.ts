import type { Queryable } from "../database.ts";
import { DOCUMENT_COLUMNS, toDocument, type DocumentRow, type StoredDocument } from "./document.ts";

/** NOTIFY channel that says: the outbox has rows. */
export const INDEX_OUTBOX_CHANNEL = "index_outbox";

/** A change the index has yet to learn of. */
export type IndexChange =
  | { readonly kind: "upsert"; readonly document: StoredDocument; readonly text: string }
  | { readonly kind: "remove"; readonly teamId: string; readonly url: string; readonly version: number };

/** Texts of more bytes are not held at once: hundreds of books would fill the memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/**
 * The oldest changes the index has not confirmed, each with the document as it is now; but for those of the versions
 * in `except`, which are under way. At least one, then no more than `maxTextBytes` of text.
 */
export async function readIndexOutbox(
  db: Queryable,
  limit: number,
  {
    except = [],
    maxTextBytes = MAX_TEXT_BYTES,
  }: { readonly except?: readonly number[]; readonly maxTextBytes?: number } = {},
): Promise<readonly IndexChange[]> {
  const rows = await db.query<DocumentRow & { readonly deleted: boolean; readonly text: string | null }>(
    // Of a text that is stored apart the length is known without reading it.
    `SELECT * FROM (
       SELECT ${DOCUMENT_COLUMNS}, doc.deleted_at IS NOT NULL AS deleted, words.text, queued.version AS place,
         sum(octet_length(words.text)) OVER (ORDER BY queued.version) - octet_length(words.text) AS bytes_before,
         octet_length(words.text) AS bytes
       FROM (SELECT team_id, url, version FROM index_outbox WHERE version <> ALL ($2::bigint[])
             ORDER BY version LIMIT $1) AS queued
       JOIN documents AS doc USING (team_id, url)
       LEFT JOIN extracted_texts AS words USING (snapshot_id, extractor_version)) AS change
     WHERE bytes IS NULL OR bytes_before = 0 OR bytes_before + bytes <= $3
     ORDER BY place`,
    [limit, except, maxTextBytes],
  );
  return rows.map((row) =>
    row.deleted
      ? { kind: "remove", teamId: row.team_id, url: row.url, version: row.version }
      : { kind: "upsert", document: toDocument(row), text: row.text ?? "" },
  );
}

/** The index has these versions now. A document that changed meanwhile stays queued; a tombstone is no longer needed. */
export async function confirmIndexed(
  db: Queryable,
  confirmed: readonly { readonly teamId: string; readonly url: string; readonly version: number }[],
): Promise<void> {
  await db.query(
    `WITH given AS (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) AS given (team_id, url, version)),
     done AS (
       DELETE FROM index_outbox AS queued USING given
       WHERE queued.team_id = given.team_id AND queued.url = given.url AND queued.version <= given.version)
     DELETE FROM documents AS doc USING given
     WHERE doc.team_id = given.team_id AND doc.url = given.url AND doc.version = given.version
       AND doc.deleted_at IS NOT NULL`,
    [confirmed.map(({ teamId }) => teamId), confirmed.map(({ url }) => url), confirmed.map(({ version }) => version)],
  );
}

/** How many changes wait for the index. */
export async function countIndexOutbox(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>("SELECT count(*)::integer AS count FROM index_outbox");
  return row?.count ?? 0;
}

/** How many of these documents the index has yet to learn of. */
export async function countQueued(db: Queryable, teamId: string, urls: readonly string[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM index_outbox WHERE team_id = $1 AND url = ANY ($2)",
    [teamId, urls],
  );
  return row?.count ?? 0;
}
