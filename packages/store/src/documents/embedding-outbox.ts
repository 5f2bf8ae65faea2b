import type { Queryable } from "../database.ts";
import type { DocumentDetails } from "./document.ts";

/** A document and the version meant. */
export interface DocumentVersion {
  readonly teamId: string;
  readonly url: string;
  readonly version: number;
}

/** A document whose vectors the index has yet to get, with what they are made of. */
export interface DocumentToEmbed extends DocumentVersion {
  readonly title: string | null;
  readonly headings: NonNullable<DocumentDetails["headings"]>;
  readonly text: string;
}

/**
 * The index has the words of these versions now. One that changed meanwhile stays queued, a tombstone is no longer
 * needed, and those with passages (`isToEmbed`) wait for their vectors from here on.
 */
export async function confirmWords(
  db: Queryable,
  confirmed: readonly (DocumentVersion & { readonly isToEmbed: boolean })[],
): Promise<void> {
  const ordered = [...confirmed].sort(byPlace); // the order in which documents are saved: no two of us wait for each other
  await db.query(
    `WITH given AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::boolean[]) AS given (team_id, url, version, to_embed)),
     done AS (
       DELETE FROM index_outbox AS queued USING given
       WHERE queued.team_id = given.team_id AND queued.url = given.url AND queued.version <= given.version),
     gone AS (
       DELETE FROM documents AS doc USING given
       WHERE doc.team_id = given.team_id AND doc.url = given.url AND doc.version = given.version
         AND doc.deleted_at IS NOT NULL),
     not_embedded AS (
       DELETE FROM embedding_outbox AS queued USING given
       WHERE queued.team_id = given.team_id AND queued.url = given.url AND NOT given.to_embed
         AND queued.version <= given.version),
     without_passages AS (
       DELETE FROM document_passages AS cut USING given
       WHERE cut.team_id = given.team_id AND cut.url = given.url AND NOT given.to_embed AND cut.version <= given.version)
     INSERT INTO embedding_outbox AS queued (team_id, url, version, queued_at)
     SELECT team_id, url, version, now() FROM given WHERE to_embed
     ON CONFLICT (team_id, url) DO UPDATE SET version = excluded.version WHERE queued.version < excluded.version`,
    [...columnsOf(ordered), ordered.map(({ isToEmbed }) => isToEmbed)],
  );
}

/** The documents that have waited longest for their vectors; at least one, then no more than `maxCharacters` of text. */
export async function readEmbeddingOutbox(
  db: Queryable,
  { limit, maxCharacters }: { readonly limit: number; readonly maxCharacters: number },
): Promise<readonly DocumentToEmbed[]> {
  const rows = await db.query<{
    team_id: string;
    url: string;
    version: number;
    title: string | null;
    headings: DocumentToEmbed["headings"] | null;
    text: string | null;
  }>(
    `WITH page AS MATERIALIZED (
       SELECT team_id, url, version FROM embedding_outbox ORDER BY version LIMIT $1),
     sized AS (
       SELECT page.version, doc.team_id, doc.url, doc.title, doc.details -> 'headings' AS headings, words.text,
         sum(length(words.text)) OVER (ORDER BY page.version) AS characters,
         row_number() OVER (ORDER BY page.version) AS place
       FROM page
       LEFT JOIN documents AS doc USING (team_id, url, version)
       LEFT JOIN extracted_texts AS words USING (snapshot_id, extractor_version))
     SELECT page.team_id, page.url, page.version, sized.title, sized.headings, sized.text
     FROM page JOIN sized USING (version)
     WHERE sized.characters IS NULL OR sized.characters <= $2 OR sized.place = 1
     ORDER BY page.version`,
    [limit, maxCharacters],
  );
  return rows.map((row) => ({
    teamId: row.team_id,
    url: row.url,
    version: row.version,
    title: row.title,
    headings: row.headings ?? [],
    text: row.text ?? "", // gone or changed meanwhile: the newer version comes by the outbox
  }));
}

/** The index has the vectors of these versions; notes the passages each was cut into. */
export async function confirmVectors(
  db: Queryable,
  model: string,
  confirmed: readonly (DocumentVersion & { readonly hashes: readonly Uint8Array[] })[],
): Promise<void> {
  const ordered = [...confirmed].sort(byPlace);
  await db.query(
    `WITH given AS (
       SELECT team_id, url, version, hashes::bytea[] AS hashes
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS given (team_id, url, version, hashes)),
     done AS (
       DELETE FROM embedding_outbox AS queued USING given
       WHERE queued.team_id = given.team_id AND queued.url = given.url AND queued.version <= given.version)
     INSERT INTO document_passages AS cut (team_id, url, version, model, hashes)
     SELECT given.team_id, given.url, given.version, $5, given.hashes
     FROM given JOIN documents AS doc ON doc.team_id = given.team_id AND doc.url = given.url
       AND doc.version = given.version AND doc.deleted_at IS NULL
     ON CONFLICT (team_id, url) DO UPDATE
       SET version = excluded.version, model = excluded.model, hashes = excluded.hashes
       WHERE cut.version <= excluded.version`,
    [...columnsOf(ordered), ordered.map(({ hashes }) => toArrayText(hashes)), model],
  );
}

/** How many documents wait for their vectors, of some teams or of all. */
export async function countEmbeddingOutbox(db: Queryable, teamIds?: readonly string[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM embedding_outbox WHERE $1::text[] IS NULL OR team_id = ANY ($1)",
    [teamIds ?? null],
  );
  return row?.count ?? 0;
}

function columnsOf(versions: readonly DocumentVersion[]): readonly unknown[] {
  return [versions.map(({ teamId }) => teamId), versions.map(({ url }) => url), versions.map(({ version }) => version)];
}

function byPlace(one: DocumentVersion, other: DocumentVersion): number {
  if (one.teamId !== other.teamId) return one.teamId < other.teamId ? -1 : 1;
  return one.url < other.url ? -1 : 1;
}

/** An array of arrays would be taken apart by unnest, so each goes in its text form. */
function toArrayText(hashes: readonly Uint8Array[]): string {
  return `{${hashes.map((hash) => `"\\\\x${Buffer.from(hash).toString("hex")}"`).join(",")}}`;
}
