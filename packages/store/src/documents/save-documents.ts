import type { Transaction } from "../database.ts";
import { INDEX_OUTBOX_CHANNEL } from "./index-outbox.ts";
import type { DocumentDetails, DocumentFacts, DocumentSource } from "./document.ts";
import { lockDocuments, type LockedDocument } from "./lock-documents.ts";
import { placeAnew } from "./place-anew.ts";
import { toStorableText } from "./storable-text.ts";
import { toJsonb, type Json } from "../jsonb.ts";

/** A text's fingerprint, and the keys that near ones share with it. */
export interface Fingerprint {
  /** 64 bits as 16 hexadecimal digits. */
  readonly hash: string;
  readonly keys: readonly number[];
}

/** One visit's worth of a document; its snapshot and extracted text are saved before it. */
export interface DocumentToSave extends DocumentFacts {
  readonly teamId: string;
  readonly url: string;
  readonly snapshotId: string;
  readonly extractorVersion: string;
  readonly wordCount: number;
  readonly details: DocumentDetails;
  /** 32 bytes over all that the index shows: equal means there is nothing to index anew. */
  readonly contentHash: Uint8Array;
  readonly simhash: Fingerprint | null;
  readonly canonicalUrl: string | null;
  /** The page that this one says it belongs to, where that is believed; whether or not we have that page. */
  readonly declaredUrl: string | null;
  readonly source: DocumentSource;
  readonly crawledAt: Date;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What saving did. `stale`: a newer visit had been saved already, and stays. */
export interface SavedDocument {
  readonly teamId: string;
  readonly url: string;
  readonly version: number | null;
  readonly status: "created" | "updated" | "unchanged" | "stale";
}

interface WrittenRow {
  readonly team_id: string;
  readonly url: string;
  readonly version: number;
  readonly inserted: boolean;
}

/**
 * Saves documents by (team, URL) and queues those that changed for the index, in the caller's transaction: its
 * commit is the acknowledgement. Of two entries with one URL the later counts. The result follows the input's order.
 * Duplicates of what says something else now, or became a duplicate itself, are placed anew.
 */
export async function saveDocuments(
  tx: Transaction,
  documents: readonly DocumentToSave[],
): Promise<readonly SavedDocument[]> {
  if (documents.length === 0) return [];
  // One order for everybody, so that two batches with common URLs wait for each other instead of deadlocking.
  const unplaced = [...new Map(documents.map((document) => [keyOf(document), document])).values()].sort((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : 1,
  );
  const known = new Map((await lockDocuments(tx, unplaced)).map((row) => [keyOf(row), row]));
  const given = withLivingCanonicals(unplaced, known);
  const changed: DocumentToSave[] = [];
  const same: DocumentToSave[] = [];
  const results = new Map<string, SavedDocument>();
  for (const document of given) {
    const { teamId, url } = document;
    const row = known.get(keyOf(document));
    if (row === undefined || isChanged(row, document)) {
      changed.push(document);
    } else {
      const status = row.crawledAt > document.crawledAt ? "stale" : "unchanged";
      if (status === "unchanged") same.push(document);
      results.set(keyOf(document), { teamId, url, version: row.version, status });
    }
  }
  for (const row of await writeChanged(tx, changed)) {
    const place = { teamId: row.team_id, url: row.url };
    results.set(keyOf(place), { ...place, version: row.version, status: row.inserted ? "created" : "updated" });
  }
  await noteVisits(tx, same);
  const mayBeLeft = ({ canonicalUrl, ...place }: DocumentToSave): boolean =>
    canonicalUrl !== null || results.get(keyOf(place))?.status === "updated";
  await placeAnew(tx, [...changed.filter(mayBeLeft), ...duplicatesThatLead(given, known)]);
  return documents.map((document) => results.get(keyOf(document)) ?? stale(document));
}

/** The page that was to stand for another may have gone since it was looked up: then the other stands for itself. */
function withLivingCanonicals(
  given: readonly DocumentToSave[],
  known: ReadonlyMap<string, LockedDocument>,
): readonly DocumentToSave[] {
  const come = new Set(given.map(keyOf));
  return given.map((document) => {
    const { teamId, url, canonicalUrl } = document;
    if (canonicalUrl === null || come.has(keyOf({ teamId, url: canonicalUrl }))) return document;
    const row = known.get(keyOf({ teamId, url: canonicalUrl }));
    // One that is this document's own duplicate so far changes places with it.
    const stands = row?.isDeleted === false && (row.canonicalUrl === null || row.canonicalUrl === url);
    return stands ? document : { ...document, canonicalUrl: null };
  });
}

/** Those that others of the batch are to point to, and that are duplicates themselves or were so far. */
function duplicatesThatLead(
  given: readonly DocumentToSave[],
  known: ReadonlyMap<string, LockedDocument>,
): readonly DocumentToSave[] {
  const leaders = new Set(
    given.flatMap(({ teamId, canonicalUrl }) => (canonicalUrl === null ? [] : [keyOf({ teamId, url: canonicalUrl })])),
  );
  return given.filter(
    (document) =>
      leaders.has(keyOf(document)) &&
      (document.canonicalUrl !== null || (known.get(keyOf(document))?.canonicalUrl ?? null) !== null),
  );
}

function isChanged(row: LockedDocument, document: DocumentToSave): boolean {
  if (row.crawledAt > document.crawledAt) return false;
  return (
    row.isDeleted ||
    row.contentHash?.equals(document.contentHash) !== true ||
    row.canonicalUrl !== document.canonicalUrl
  );
}

/** Another process may have made the row since it was looked for: then the newer visit wins. */
async function writeChanged(tx: Transaction, given: readonly DocumentToSave[]): Promise<readonly WrittenRow[]> {
  if (given.length === 0) return [];
  return tx.query<WrittenRow>(
    `WITH written AS (
       INSERT INTO documents AS doc (version, team_id, url, snapshot_id, extractor_version, title, author, published_at,
         language, category, site_name, description, favicon, image, word_count, details, content_hash, simhash,
         simhash_keys, canonical_url, declared_url, source, crawled_at, changed_at, etag, last_modified)
       SELECT nextval('document_versions'), given.team_id, given.url, given.snapshot_id, given.extractor_version,
         given.title, given.author, given.published_at, given.language, given.category, given.site_name,
         given.description, given.favicon, given.image, given.word_count, given.details, given.content_hash,
         given.simhash, given.simhash_keys::integer[], given.canonical_url, given.declared_url, given.source,
         given.crawled_at, given.crawled_at, given.etag, given.last_modified
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
         $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::integer[], $15::jsonb[],
         $16::bytea[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::timestamptz[], $23::text[],
         $24::text[])
         AS given (team_id, url, snapshot_id, extractor_version, title, author, published_at, language, category,
           site_name, description, favicon, image, word_count, details, content_hash, simhash, simhash_keys,
           canonical_url, declared_url, source, crawled_at, etag, last_modified)
       ON CONFLICT (team_id, url) DO UPDATE SET
         version = excluded.version, deleted_at = NULL, snapshot_id = excluded.snapshot_id,
         extractor_version = excluded.extractor_version, title = excluded.title, author = excluded.author,
         published_at = excluded.published_at, language = excluded.language, category = excluded.category,
         site_name = excluded.site_name, description = excluded.description, favicon = excluded.favicon,
         image = excluded.image, word_count = excluded.word_count, details = excluded.details,
         content_hash = excluded.content_hash, simhash = excluded.simhash, simhash_keys = excluded.simhash_keys,
         canonical_url = excluded.canonical_url, declared_url = excluded.declared_url, source = excluded.source, crawled_at = excluded.crawled_at, changed_at = excluded.changed_at,
         etag = excluded.etag, last_modified = excluded.last_modified, visit_count = doc.visit_count + 1,
         change_count = doc.change_count + 1
       WHERE doc.crawled_at <= excluded.crawled_at
       RETURNING doc.team_id, doc.url, doc.version, doc.snapshot_id, doc.extractor_version, doc.crawled_at,
         (doc.xmax = 0) AS inserted),
     past AS (
       INSERT INTO document_history (team_id, url, version, snapshot_id, extractor_version, seen_at)
       SELECT team_id, url, version, snapshot_id, extractor_version, crawled_at FROM written),
     queued AS (
       INSERT INTO index_outbox (team_id, url, version, queued_at)
       SELECT team_id, url, version, now() FROM written
       ON CONFLICT (team_id, url) DO UPDATE SET version = excluded.version),
     told AS MATERIALIZED (SELECT pg_notify('${INDEX_OUTBOX_CHANNEL}', '') WHERE EXISTS (SELECT FROM written))
     SELECT written.team_id, written.url, written.version, written.inserted
     FROM written LEFT JOIN told ON true`,
    columnsOf(given),
  );
}

async function noteVisits(tx: Transaction, given: readonly DocumentToSave[]): Promise<void> {
  if (given.length === 0) return;
  await tx.query(
    `UPDATE documents AS doc SET visit_count = doc.visit_count + 1, crawled_at = given.crawled_at, etag = given.etag,
       last_modified = given.last_modified, declared_url = given.declared_url
     FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[])
       AS given (team_id, url, crawled_at, etag, last_modified, declared_url)
     WHERE doc.team_id = given.team_id AND doc.url = given.url`,
    [
      given.map(({ teamId }) => teamId),
      given.map(({ url }) => url),
      given.map(({ crawledAt }) => crawledAt),
      given.map(({ etag }) => storable(etag)),
      given.map(({ lastModified }) => storable(lastModified)),
      given.map(({ declaredUrl }) => declaredUrl),
    ],
  );
}

function columnsOf(given: readonly DocumentToSave[]): readonly unknown[] {
  return [
    given.map(({ teamId }) => teamId),
    given.map(({ url }) => url),
    given.map(({ snapshotId }) => snapshotId),
    given.map(({ extractorVersion }) => extractorVersion),
    given.map(({ title }) => storable(title)),
    given.map(({ author }) => storable(author)),
    given.map(({ publishedAt }) => publishedAt),
    given.map(({ language }) => language),
    given.map(({ category }) => storable(category)),
    given.map(({ siteName }) => storable(siteName)),
    given.map(({ description }) => storable(description)),
    given.map(({ favicon }) => storable(favicon)),
    given.map(({ image }) => storable(image)),
    given.map(({ wordCount }) => wordCount),
    given.map(({ details }) => toJsonb(details as Json)),
    given.map(({ contentHash }) => Buffer.from(contentHash)),
    given.map(({ simhash }) => simhash?.hash ?? null),
    // Only a page that stands for itself is looked up by its keys. unnest would take an array of arrays apart, so each
    // goes in its text form.
    given.map(({ simhash, canonicalUrl }) =>
      simhash === null || canonicalUrl !== null ? null : `{${simhash.keys.join(",")}}`,
    ),
    given.map(({ canonicalUrl }) => canonicalUrl),
    given.map(({ declaredUrl }) => declaredUrl),
    given.map(({ source }) => source),
    given.map(({ crawledAt }) => crawledAt),
    given.map(({ etag }) => storable(etag)),
    given.map(({ lastModified }) => storable(lastModified)),
  ];
}

function stale({ teamId, url }: DocumentToSave): SavedDocument {
  return { teamId, url, version: null, status: "stale" };
}

function storable(text: string | null): string | null {
  return text === null ? null : toStorableText(text);
}

function keyOf({ teamId, url }: { readonly teamId: string; readonly url: string }): string {
  return `${teamId}\n${url}`;
}
