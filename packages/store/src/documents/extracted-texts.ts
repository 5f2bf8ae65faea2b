import type { Queryable } from "../database.ts";
import { holdSnapshots } from "../retention/snapshot-lock.ts";
import { toStorableText } from "./storable-text.ts";

/** The bytes of a page as they were read; the blob store has them under `id`. */
export interface SnapshotFacts {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly id: string;
  readonly mediaType: string;
  readonly charset: string | null;
  readonly byteLength: number;
  readonly createdAt: Date;
}

/** What one version of the extractor read in a snapshot; never changed once written. */
export interface ExtractedText {
  readonly snapshotId: string;
  readonly extractorVersion: string;
  readonly text: string;
  readonly markdown: string;
  readonly sourceMap: Uint8Array | null;
}

/** Records snapshots; those already known stay as they were, and none is taken away before the transaction ends. */
export async function saveSnapshots(db: Queryable, snapshots: readonly SnapshotFacts[]): Promise<void> {
  await holdSnapshots(db);
  const ordered = [...snapshots].sort((one, other) => (one.id < other.id ? -1 : 1));
  await db.query(
    `INSERT INTO snapshots (id, media_type, charset, byte_length, created_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[])
     ON CONFLICT (id) DO NOTHING`,
    [
      ordered.map(({ id }) => id),
      ordered.map(({ mediaType }) => mediaType),
      ordered.map(({ charset }) => charset),
      ordered.map(({ byteLength }) => byteLength),
      ordered.map(({ createdAt }) => createdAt),
    ],
  );
}

/** Records extracted texts; one that is already there is kept, since quotes may point into it. */
export async function saveExtractedTexts(db: Queryable, texts: readonly ExtractedText[], now: Date): Promise<void> {
  const ordered = [...texts].sort((one, other) => (one.snapshotId < other.snapshotId ? -1 : 1));
  await db.query(
    `INSERT INTO extracted_texts (snapshot_id, extractor_version, text, markdown, source_map, created_at)
     SELECT given.*, $6::timestamptz
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[]) AS given
     ON CONFLICT (snapshot_id, extractor_version) DO NOTHING`,
    [
      ordered.map(({ snapshotId }) => snapshotId),
      ordered.map(({ extractorVersion }) => extractorVersion),
      ordered.map(({ text }) => toStorableText(text)),
      ordered.map(({ markdown }) => toStorableText(markdown)),
      ordered.map(({ sourceMap }) => (sourceMap === null ? null : Buffer.from(sourceMap))),
      now,
    ],
  );
}

/** The text of a snapshot as `extractorVersion` read it, or undefined. Whether the caller may read it is not asked here. */
export async function getExtractedText(
  db: Queryable,
  snapshotId: string,
  extractorVersion: string,
): Promise<ExtractedText | undefined> {
  const [row] = await db.query<{ text: string; markdown: string; source_map: Buffer | null }>(
    "SELECT text, markdown, source_map FROM extracted_texts WHERE snapshot_id = $1 AND extractor_version = $2",
    [snapshotId, extractorVersion],
  );
  if (row === undefined) return undefined;
  return { snapshotId, extractorVersion, text: row.text, markdown: row.markdown, sourceMap: row.source_map };
}

/** A snapshot that some document of these teams has, or had; undefined otherwise, as for one that does not exist. */
export async function findSnapshot(
  db: Queryable,
  teamIds: readonly string[],
  id: string,
): Promise<SnapshotFacts | undefined> {
  const [row] = await db.query<{ media_type: string; charset: string | null; byte_length: number; created_at: Date }>(
    `SELECT media_type, charset, byte_length, created_at FROM snapshots
     WHERE id = $1 AND EXISTS (
       SELECT FROM document_history AS past WHERE past.snapshot_id = $1 AND past.team_id = ANY ($2))`,
    [id, teamIds],
  );
  if (row === undefined) return undefined;
  return {
    id,
    mediaType: row.media_type,
    charset: row.charset,
    byteLength: row.byte_length,
    createdAt: row.created_at,
  };
}
