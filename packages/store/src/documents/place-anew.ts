import type { Transaction } from "../database.ts";
import { INDEX_OUTBOX_CHANNEL } from "./index-outbox.ts";
import type { DocumentPlace } from "./read-document-texts.ts";

/**
 * Places the duplicates of these pages anew, where a page is gone, became a duplicate itself, or says something else
 * now and is not the one they declare. Those that are like the page's own canonical page point there; of the others
 * the oldest stands for itself, and those like it point to it. Each gets a new version and is queued for the index.
 * The caller has locked them all (`lockDocuments`).
 */
export async function placeAnew(tx: Transaction, pages: readonly DocumentPlace[]): Promise<void> {
  if (pages.length === 0) return;
  // OFFSET 0 has the planner look each page up by its URL: before the first ANALYZE it takes living pages for few.
  await tx.query(
    `WITH given AS (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS given (team_id, url)),
     left_alone AS (
       SELECT doc.*, page.canonical_url AS heir_url, CASE WHEN ${alike("heir", "doc")} THEN heir.url END AS heir
       FROM given
       LEFT JOIN LATERAL (
         SELECT * FROM documents WHERE team_id = given.team_id AND url = given.url OFFSET 0) AS page
         ON page.deleted_at IS NULL
       LEFT JOIN LATERAL (
         SELECT * FROM documents WHERE team_id = given.team_id AND url = page.canonical_url OFFSET 0) AS heir
         ON heir.deleted_at IS NULL AND heir.canonical_url IS NULL
       CROSS JOIN LATERAL (
         SELECT team_id, url, version, content_hash, simhash, canonical_url, declared_url FROM documents
         WHERE team_id = given.team_id AND canonical_url = given.url AND url <> given.url AND deleted_at IS NULL
         OFFSET 0) AS doc
       WHERE page.url IS NULL OR page.canonical_url IS NOT NULL
         OR (doc.declared_url IS DISTINCT FROM page.url AND NOT ${alike("doc", "page")})),
     ranked AS (
       SELECT *, first_value(url) OVER oldest AS first_url, first_value(content_hash) OVER oldest AS first_hash,
         first_value(simhash) OVER oldest AS first_simhash
       FROM left_alone WINDOW oldest AS (
         PARTITION BY team_id, canonical_url, heir IS NULL
         ORDER BY (url IS NOT DISTINCT FROM heir_url) DESC, version, url)),
     chosen AS (
       SELECT one.team_id, one.url, one.simhash,
         coalesce(one.heir, CASE WHEN ${alike("one", "leader")} THEN nullif(leader.url, one.url) END) AS canonical_url
       FROM ranked AS one
       CROSS JOIN LATERAL (SELECT one.first_url, one.first_hash, one.first_simhash) AS leader (url, content_hash, simhash)),
     placed AS (
       UPDATE documents AS doc SET version = nextval('document_versions'), canonical_url = chosen.canonical_url,
         simhash_keys = CASE WHEN chosen.canonical_url IS NULL THEN simhash_keys_of(chosen.simhash) END
       FROM chosen WHERE doc.team_id = chosen.team_id AND doc.url = chosen.url
       RETURNING doc.team_id, doc.url, doc.version),
     queued AS (
       INSERT INTO index_outbox (team_id, url, version, queued_at)
       SELECT team_id, url, version, now() FROM placed ORDER BY team_id, url
       ON CONFLICT (team_id, url) DO UPDATE SET version = excluded.version)
     SELECT pg_notify('${INDEX_OUTBOX_CHANNEL}', '') WHERE EXISTS (SELECT FROM placed)`,
    [pages.map(({ teamId }) => teamId), pages.map(({ url }) => url)],
  );
}

/** So many bits apart two fingerprints are of one page twice: what those who look for duplicates call near. */
const NEAR_BITS = 6;

/** SQL: whether two pages say the same, or nearly. */
function alike(one: string, other: string): string {
  return `(${one}.content_hash = ${other}.content_hash OR coalesce(
    bit_count(('x' || ${one}.simhash)::bit(64) # ('x' || ${other}.simhash)::bit(64)) <= ${NEAR_BITS}, false))`;
}
