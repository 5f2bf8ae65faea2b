import type { Transaction } from "../database.ts";
import type { DocumentPlace } from "./read-document-texts.ts";

/** A document that is about to be written; `contentHash` is null for one that is about to go. */
export interface DocumentToLock extends DocumentPlace {
  readonly contentHash: Uint8Array | null;
  readonly canonicalUrl: string | null;
}

/** A document as it is while nobody else can change it. */
export interface LockedDocument extends DocumentPlace {
  readonly version: number;
  readonly contentHash: Buffer | null;
  readonly canonicalUrl: string | null;
  readonly isDeleted: boolean;
  readonly crawledAt: Date;
}

interface LockedRow {
  readonly team_id: string;
  readonly url: string;
  readonly version: number;
  readonly content_hash: Buffer | null;
  readonly canonical_url: string | null;
  readonly deleted_at: Date | null;
  readonly crawled_at: Date;
}

/** Duplicates that come while their page is waited for have us begin again, so many times at most. */
const MAX_TRIES = 10;

/**
 * Locks documents before they are written, those that are there, with the pages that are to stand for them and the
 * duplicates that may lose theirs: all at once and in one order for everybody, so that two writers wait for each other
 * instead of deadlocking. Who makes a page a duplicate locks the one that stands for it: once that is ours, no more
 * can come.
 */
export async function lockDocuments(
  tx: Transaction,
  given: readonly DocumentToLock[],
): Promise<readonly LockedDocument[]> {
  for (let tries = 1; ; tries += 1) {
    await tx.query("SAVEPOINT before_documents");
    const rows = await lockRows(tx, given);
    if (tries < MAX_TRIES && (await hasLateDuplicates(tx, given, rows))) {
      await tx.query("ROLLBACK TO SAVEPOINT before_documents");
      continue;
    }
    await tx.query("RELEASE SAVEPOINT before_documents");
    await lockQueued(tx, given, rows);
    return rows.map((row) => ({
      teamId: row.team_id,
      url: row.url,
      version: row.version,
      contentHash: row.content_hash,
      canonicalUrl: row.canonical_url,
      isDeleted: row.deleted_at !== null,
      crawledAt: row.crawled_at,
    }));
  }
}

async function lockRows(tx: Transaction, given: readonly DocumentToLock[]): Promise<readonly LockedRow[]> {
  // OFFSET 0 has the planner look duplicates up one page at a time: before the first ANALYZE it would read them all.
  return tx.query<LockedRow>(
    `WITH given AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[])
         AS given (team_id, url, content_hash, canonical_url)),
     place AS (
       SELECT team_id, url FROM given
       UNION SELECT team_id, canonical_url FROM given WHERE canonical_url IS NOT NULL
       UNION SELECT given.team_id, led.url FROM given JOIN documents AS page USING (team_id, url)
         CROSS JOIN LATERAL (
           SELECT doc.url FROM documents AS doc
           WHERE doc.team_id = given.team_id AND doc.canonical_url = given.url AND doc.deleted_at IS NULL OFFSET 0) AS led
       WHERE given.canonical_url IS NOT NULL OR page.content_hash IS DISTINCT FROM given.content_hash)
     SELECT doc.team_id, doc.url, doc.version, doc.content_hash, doc.canonical_url, doc.deleted_at, doc.crawled_at
     FROM place JOIN documents AS doc USING (team_id, url) ORDER BY doc.team_id, doc.url FOR UPDATE OF doc`,
    [
      given.map(({ teamId }) => teamId),
      given.map(({ url }) => url),
      given.map(({ contentHash }) => (contentHash === null ? null : Buffer.from(contentHash))),
      given.map(({ canonicalUrl }) => canonicalUrl),
    ],
  );
}

/** Whether a page that changes has duplicates that were not there yet when we began to wait. */
async function hasLateDuplicates(
  tx: Transaction,
  given: readonly DocumentToLock[],
  locked: readonly LockedRow[],
): Promise<boolean> {
  const known = new Map(locked.map((row) => [keyOf(row.team_id, row.url), row]));
  const changing = given.filter(({ teamId, url, contentHash, canonicalUrl }) => {
    const row = known.get(keyOf(teamId, url));
    if (row === undefined) return false;
    return canonicalUrl !== null || contentHash === null || row.content_hash?.equals(contentHash) !== true;
  });
  if (changing.length === 0) return false;
  const led = await tx.query<{ team_id: string; url: string }>(
    `SELECT led.team_id, led.url FROM unnest($1::text[], $2::text[]) AS given (team_id, url)
     CROSS JOIN LATERAL (
       SELECT doc.team_id, doc.url FROM documents AS doc
       WHERE doc.team_id = given.team_id AND doc.canonical_url = given.url AND doc.deleted_at IS NULL OFFSET 0) AS led`,
    [changing.map(({ teamId }) => teamId), changing.map(({ url }) => url)],
  );
  return led.some((row) => !known.has(keyOf(row.team_id, row.url)));
}

/**
 * Duplicates are queued for the index after what they were duplicates of, whatever their order: so the rows in which
 * both wait are locked before, lest the indexer, who takes them in order, and a writer wait for each other.
 */
async function lockQueued(
  tx: Transaction,
  given: readonly DocumentToLock[],
  locked: readonly LockedRow[],
): Promise<void> {
  const keys = new Set(given.map(({ teamId, url }) => keyOf(teamId, url)));
  if (!locked.some(({ team_id: teamId, canonical_url: url }) => url !== null && keys.has(keyOf(teamId, url)))) return;
  await tx.query(
    `SELECT FROM unnest($1::text[], $2::text[]) AS place (team_id, url) JOIN index_outbox AS queued USING (team_id, url)
     ORDER BY queued.team_id, queued.url FOR UPDATE OF queued`,
    [locked.map((row) => row.team_id), locked.map(({ url }) => url)],
  );
}

function keyOf(teamId: string, url: string): string {
  return `${teamId}\n${url}`;
}
