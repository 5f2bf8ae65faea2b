import { toPage, type Page } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { DOCUMENT_COLUMNS, toDocument, type DocumentRow, type StoredDocument } from "./document.ts";

/** The document of a URL that these teams may read; of several, that of the team named first. */
export async function findDocument(
  db: Queryable,
  teamIds: readonly string[],
  url: string,
): Promise<StoredDocument | undefined> {
  return (await findDocuments(db, teamIds, [url])).get(url);
}

/** As `findDocument`, for many URLs at once. */
export async function findDocuments(
  db: Queryable,
  teamIds: readonly string[],
  urls: readonly string[],
): Promise<ReadonlyMap<string, StoredDocument>> {
  const rows = await db.query<DocumentRow>(
    `SELECT DISTINCT ON (doc.url) ${DOCUMENT_COLUMNS} FROM documents AS doc
     WHERE doc.team_id = ANY ($1) AND doc.url = ANY ($2) AND doc.deleted_at IS NULL
     ORDER BY doc.url, array_position($1, doc.team_id)`,
    [teamIds, urls],
  );
  return new Map(rows.map((row) => [row.url, toDocument(row)]));
}

/** A team's own documents, newest visit first; `after` is the position the page before ended on. */
export async function listDocuments(
  db: Queryable,
  teamId: string,
  page: { readonly after?: readonly string[] | undefined; readonly limit: number },
): Promise<Page<StoredDocument>> {
  const rows = await db.query<DocumentRow>(
    `SELECT ${DOCUMENT_COLUMNS} FROM documents AS doc
     WHERE doc.team_id = $1 AND doc.deleted_at IS NULL
       AND ($2::timestamptz IS NULL OR doc.crawled_at < $2 OR (doc.crawled_at = $2 AND doc.url > $3))
     ORDER BY doc.crawled_at DESC, doc.url LIMIT $4`,
    [teamId, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit + 1],
  );
  return toPage(rows.map(toDocument), page.limit, ({ crawledAt, url }) => [crawledAt.toISOString(), url]);
}

/** One text a document has had. */
export interface PastVersion {
  readonly version: number;
  readonly snapshotId: string;
  readonly extractorVersion: string;
  readonly seenAt: Date;
}

/** The texts a document has had, newest first. */
export async function listPastVersions(
  db: Queryable,
  teamId: string,
  url: string,
  limit: number,
): Promise<readonly PastVersion[]> {
  const rows = await db.query<{ version: number; snapshot_id: string; extractor_version: string; seen_at: Date }>(
    `SELECT version, snapshot_id, extractor_version, seen_at FROM document_history
     WHERE team_id = $1 AND url = $2 ORDER BY version DESC LIMIT $3`,
    [teamId, url, limit],
  );
  return rows.map((row) => ({
    version: row.version,
    snapshotId: row.snapshot_id,
    extractorVersion: row.extractor_version,
    seenAt: row.seen_at,
  }));
}
