import type { Queryable } from "../database.ts";
import type { DocumentVersion } from "./embedding-outbox.ts";
import { INDEX_OUTBOX_CHANNEL } from "./index-outbox.ts";
import type { DocumentPlace } from "./read-document-texts.ts";

/** What the index should have of a document, and what it has yet to be told. */
export interface ExpectedVersion extends DocumentVersion {
  /** A tombstone that the index has not confirmed. */
  readonly isDeleted: boolean;
  /** The index has yet to learn of the newest version. */
  readonly isQueued: boolean;
  readonly isEmbeddingQueued: boolean;
  /** How many passages it was cut into for `model`; null when it has not been, and should be. */
  readonly passageCount: number | null;
}

/** The next documents in an order of its own; `after` is the last of the part before. */
export async function listExpectedVersions(
  db: Queryable,
  model: string,
  { after, limit }: { readonly after?: DocumentPlace | undefined; readonly limit: number },
): Promise<readonly ExpectedVersion[]> {
  const rows = await db.query<ExpectedRow>(
    `SELECT ${EXPECTED_COLUMNS} FROM (
       SELECT * FROM documents WHERE (team_id, url) > ($2, $3) ORDER BY team_id, url LIMIT $4) AS doc ${EXPECTED_JOINS}
     ORDER BY doc.team_id, doc.url`,
    [model, after?.teamId ?? "", after?.url ?? "", limit],
  );
  return rows.map(toExpected);
}

/** These documents, those that are there. */
export async function findExpectedVersions(
  db: Queryable,
  model: string,
  places: readonly DocumentPlace[],
): Promise<readonly ExpectedVersion[]> {
  const rows = await db.query<ExpectedRow>(
    `SELECT ${EXPECTED_COLUMNS}
     FROM unnest($2::text[], $3::text[]) AS given (team_id, url) JOIN documents AS doc USING (team_id, url)
     ${EXPECTED_JOINS}`,
    [model, ...columnsOf(places)],
  );
  return rows.map(toExpected);
}

/** Queues documents for the index as they are now. */
export async function requeueWords(db: Queryable, places: readonly DocumentPlace[]): Promise<void> {
  await db.query(
    `WITH queued AS (
       INSERT INTO index_outbox (team_id, url, version, queued_at)
       SELECT doc.team_id, doc.url, doc.version, now()
       FROM unnest($1::text[], $2::text[]) AS given (team_id, url) JOIN documents AS doc USING (team_id, url)
       ON CONFLICT (team_id, url) DO NOTHING)
     SELECT pg_notify('${INDEX_OUTBOX_CHANNEL}', '')`,
    columnsOf(places),
  );
}

/** Queues documents for vectors as they are now. */
export async function requeueVectors(db: Queryable, places: readonly DocumentPlace[]): Promise<void> {
  await db.query(
    `INSERT INTO embedding_outbox (team_id, url, version, queued_at)
     SELECT doc.team_id, doc.url, doc.version, now()
     FROM unnest($1::text[], $2::text[]) AS given (team_id, url) JOIN documents AS doc USING (team_id, url)
     WHERE doc.deleted_at IS NULL
     ON CONFLICT (team_id, url) DO NOTHING`,
    columnsOf(places),
  );
}

/**
 * Gives documents that still have these versions a new one, above `above`, and queues them: the index has them, or the
 * mark of their removal, in a later one than the store, as after a backup was restored, and takes this one for old.
 */
export async function requeueAbove(db: Queryable, versions: readonly DocumentVersion[], above: number): Promise<void> {
  await db.query("SELECT setval('document_versions', greatest($1::bigint, nextval('document_versions')))", [above]);
  await db.query(
    `WITH raised AS (
       UPDATE documents AS doc SET version = nextval('document_versions')
       FROM unnest($1::text[], $2::text[], $3::bigint[]) AS given (team_id, url, version)
       WHERE doc.team_id = given.team_id AND doc.url = given.url AND doc.version = given.version
       RETURNING doc.team_id, doc.url, doc.version),
     queued AS (
       INSERT INTO index_outbox (team_id, url, version, queued_at)
       SELECT team_id, url, version, now() FROM raised
       ON CONFLICT (team_id, url) DO UPDATE SET version = excluded.version)
     SELECT pg_notify('${INDEX_OUTBOX_CHANNEL}', '')`,
    [...columnsOf(versions), versions.map(({ version }) => version)],
  );
}

/** Queues every document for an index that is empty; returns how many, and the highest version among them. */
export async function requeueEverything(
  db: Queryable,
): Promise<{ readonly documents: number; readonly highestVersion: number }> {
  const [row] = await db.query<{ documents: number; highest: number }>(
    `WITH queued AS (
       INSERT INTO index_outbox AS queued (team_id, url, version, queued_at)
       SELECT team_id, url, version, now() FROM documents
       ON CONFLICT (team_id, url) DO UPDATE SET version = greatest(queued.version, excluded.version)
       RETURNING version)
     SELECT count(*)::integer AS documents, coalesce(max(version), 0)::bigint AS highest FROM queued`,
  );
  await db.query(`SELECT pg_notify('${INDEX_OUTBOX_CHANNEL}', '')`);
  return { documents: row?.documents ?? 0, highestVersion: row?.highest ?? 0 };
}

/** How many changes up to a version the index has yet to learn of. */
export async function countQueuedUpTo(db: Queryable, version: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM index_outbox WHERE version <= $1",
    [version],
  );
  return row?.count ?? 0;
}

interface ExpectedRow {
  readonly team_id: string;
  readonly url: string;
  readonly version: number;
  readonly is_deleted: boolean;
  readonly is_queued: boolean;
  readonly is_embedding_queued: boolean;
  readonly passage_count: number | null;
}

/** A duplicate has no passages of its own, nor has a page without words. */
const EXPECTED_COLUMNS = `doc.team_id, doc.url, doc.version, doc.deleted_at IS NOT NULL AS is_deleted,
  queued.url IS NOT NULL AS is_queued, to_embed.url IS NOT NULL AS is_embedding_queued,
  CASE WHEN doc.deleted_at IS NOT NULL OR doc.canonical_url <> doc.url THEN 0
    WHEN cut.version = doc.version AND cut.model = $1 THEN cardinality(cut.hashes)
    WHEN doc.word_count = 0 THEN 0 END AS passage_count`;
const EXPECTED_JOINS = `LEFT JOIN index_outbox AS queued USING (team_id, url)
  LEFT JOIN embedding_outbox AS to_embed USING (team_id, url)
  LEFT JOIN document_passages AS cut USING (team_id, url)`;

function toExpected(row: ExpectedRow): ExpectedVersion {
  return {
    teamId: row.team_id,
    url: row.url,
    version: row.version,
    isDeleted: row.is_deleted,
    isQueued: row.is_queued,
    isEmbeddingQueued: row.is_embedding_queued,
    passageCount: row.passage_count,
  };
}

function columnsOf(places: readonly DocumentPlace[]): readonly unknown[] {
  return [places.map(({ teamId }) => teamId), places.map(({ url }) => url)];
}
