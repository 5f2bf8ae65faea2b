import type { Queryable } from "../database.ts";
import { DOCUMENT_COLUMNS, toDocument, type DocumentRow } from "./document.ts";
import type { DocumentWithText } from "./export-documents.ts";

/** A document's place: whose it is, and its URL. */
export interface DocumentPlace {
  readonly teamId: string;
  readonly url: string;
}

/** These documents with their texts, in any order; those that are gone are left out. */
export async function findDocumentsWithText(
  db: Queryable,
  places: readonly DocumentPlace[],
): Promise<readonly DocumentWithText[]> {
  if (places.length === 0) return [];
  const rows = await db.query<
    DocumentRow & {
      readonly text: string;
      readonly markdown: string;
      readonly media_type: string;
      readonly charset: string | null;
    }
  >(
    `SELECT ${DOCUMENT_COLUMNS}, words.text, words.markdown, snapshot.media_type, snapshot.charset
     FROM unnest($1::text[], $2::text[]) AS given (team_id, url)
     JOIN documents AS doc USING (team_id, url)
     JOIN extracted_texts AS words USING (snapshot_id, extractor_version)
     JOIN snapshots AS snapshot ON snapshot.id = doc.snapshot_id
     WHERE doc.deleted_at IS NULL`,
    [places.map(({ teamId }) => teamId), places.map(({ url }) => url)],
  );
  return rows.map((row) => ({
    document: toDocument(row),
    text: row.text,
    markdown: row.markdown,
    mediaType: row.media_type,
    charset: row.charset,
  }));
}

/** Those of these URLs of which a team has a document of its own. */
export async function findOwnUrls(
  db: Queryable,
  teamId: string,
  urls: readonly string[],
): Promise<ReadonlySet<string>> {
  if (urls.length === 0) return new Set();
  const rows = await db.query<{ readonly url: string }>(
    "SELECT url FROM documents WHERE team_id = $1 AND url = ANY($2::text[]) AND deleted_at IS NULL",
    [teamId, urls],
  );
  return new Set(rows.map(({ url }) => url));
}

/** The texts alone, for those that need nothing else. */
export async function findTexts(
  db: Queryable,
  places: readonly DocumentPlace[],
): Promise<readonly (DocumentPlace & { readonly text: string })[]> {
  if (places.length === 0) return [];
  const rows = await db.query<{ readonly team_id: string; readonly url: string; readonly text: string }>(
    `SELECT doc.team_id, doc.url, words.text FROM unnest($1::text[], $2::text[]) AS given (team_id, url)
     JOIN documents AS doc USING (team_id, url)
     JOIN extracted_texts AS words USING (snapshot_id, extractor_version)
     WHERE doc.deleted_at IS NULL`,
    [places.map(({ teamId }) => teamId), places.map(({ url }) => url)],
  );
  return rows.map((row) => ({ teamId: row.team_id, url: row.url, text: row.text }));
}

/**
 * Parts of texts: a shorter text whole, of a longer one its lead and what begins at `start`, cut by the database, since
 * whole texts of many pages are megabytes. `contentId` is the same for pages whose whole text is the same.
 */
export async function findTextParts(
  db: Queryable,
  places: readonly (DocumentPlace & { readonly start: number })[],
  size: { readonly leadCharacters: number; readonly maxCharacters: number },
): Promise<readonly (DocumentPlace & { readonly text: string; readonly contentId: string })[]> {
  if (places.length === 0) return [];
  const rows = await db.query<{
    readonly team_id: string;
    readonly url: string;
    readonly text: string;
    readonly content_id: string;
  }>(
    // octet_length reads no text; char_length does, and is asked of short ones alone.
    `SELECT doc.team_id, doc.url, encode(doc.content_hash, 'base64') AS content_id,
       CASE WHEN octet_length(words.text) <= 4 * $5 AND char_length(words.text) <= $5 THEN words.text
         ELSE left(words.text, $4) || E'\\n' || substr(words.text, greatest(given.start, $4) + 1, $5 - $4) END AS text
     FROM unnest($1::text[], $2::text[], $3::int[]) AS given (team_id, url, start)
     JOIN documents AS doc USING (team_id, url)
     JOIN extracted_texts AS words USING (snapshot_id, extractor_version)
     WHERE doc.deleted_at IS NULL`,
    [
      places.map(({ teamId }) => teamId),
      places.map(({ url }) => url),
      places.map(({ start }) => start),
      size.leadCharacters,
      size.maxCharacters,
    ],
  );
  return rows.map((row) => ({ teamId: row.team_id, url: row.url, text: row.text, contentId: row.content_id }));
}
