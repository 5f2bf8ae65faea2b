import type { Queryable } from "../database.ts";
import { DOCUMENT_COLUMNS, toDocument, type DocumentRow, type StoredDocument } from "./document.ts";

/** A document with its text and what its snapshot is. */
export interface DocumentWithText {
  readonly document: StoredDocument;
  readonly text: string;
  readonly markdown: string;
  readonly mediaType: string;
  readonly charset: string | null;
}

type ExportRow = DocumentRow & {
  readonly text: string;
  readonly markdown: string;
  readonly media_type: string;
  readonly charset: string | null;
};

/**
 * The next documents of a team by URL, with their texts. A URL never moves, so whoever asks again and again with the
 * last URL sees each document that is there all the while exactly once, however much is crawled meanwhile. At least one
 * is given; after that, no more than `maxCharacters` of text.
 */
export async function listDocumentsByUrl(
  db: Queryable,
  teamId: string,
  page: { readonly afterUrl: string | undefined; readonly limit: number; readonly maxCharacters: number },
): Promise<readonly DocumentWithText[]> {
  const rows = await db.query<ExportRow>(
    `WITH page AS MATERIALIZED (
       SELECT ${DOCUMENT_COLUMNS} FROM documents AS doc
       WHERE doc.team_id = $1 AND doc.deleted_at IS NULL AND ($2::text IS NULL OR doc.url > $2)
       ORDER BY doc.url LIMIT $3),
     sized AS (
       SELECT page.url, sum(length(words.text) + length(words.markdown)) OVER (ORDER BY page.url) AS characters,
         row_number() OVER (ORDER BY page.url) AS place
       FROM page JOIN extracted_texts AS words USING (snapshot_id, extractor_version))
     SELECT page.*, words.text, words.markdown, snapshot.media_type, snapshot.charset
     FROM page JOIN sized USING (url)
       JOIN extracted_texts AS words USING (snapshot_id, extractor_version)
       JOIN snapshots AS snapshot ON snapshot.id = page.snapshot_id
     WHERE sized.characters <= $4 OR sized.place = 1
     ORDER BY page.url`,
    [teamId, page.afterUrl ?? null, page.limit, page.maxCharacters],
  );
  return rows.map((row) => ({
    document: toDocument(row),
    text: row.text,
    markdown: row.markdown,
    mediaType: row.media_type,
    charset: row.charset,
  }));
}
