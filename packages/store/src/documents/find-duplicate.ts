import type { Queryable } from "../database.ts";
import type { Fingerprint } from "./save-documents.ts";

/** A page whose like is looked for. */
export interface PageToCompare {
  readonly teamId: string;
  readonly url: string;
  readonly contentHash: Uint8Array;
  readonly simhash: Fingerprint | null;
}

/**
 * For each page its team's oldest other page with the same content, or with a fingerprint at most `maxBits` away;
 * undefined where there is none. Pages that are duplicates themselves do not stand for others.
 */
export async function findDuplicates(
  db: Queryable,
  pages: readonly PageToCompare[],
  maxBits: number,
): Promise<readonly (string | undefined)[]> {
  if (pages.length === 0) return [];
  // OFFSET 0 keeps the planner from reading all of a team's pages instead of the few that share a key: before the
  // first ANALYZE it takes those for fewer.
  const rows = await db.query<{ place: number; url: string }>(
    `SELECT given.place, near.url
     FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[]) WITH ORDINALITY
       AS given (team_id, url, content_hash, simhash, keys, place)
     CROSS JOIN LATERAL (
       SELECT alike.url FROM (
         SELECT doc.url, doc.version FROM documents AS doc
         WHERE doc.team_id = given.team_id AND doc.deleted_at IS NULL AND doc.canonical_url IS NULL
           AND doc.content_hash = given.content_hash
         UNION ALL
         SELECT sharing.url, sharing.version FROM (
           SELECT doc.url, doc.version, doc.team_id, doc.simhash, doc.deleted_at, doc.canonical_url
           FROM documents AS doc WHERE doc.simhash_keys && given.keys::integer[] OFFSET 0) AS sharing
         WHERE sharing.team_id = given.team_id AND sharing.deleted_at IS NULL AND sharing.canonical_url IS NULL
           AND bit_count(('x' || sharing.simhash)::bit(64) # ('x' || given.simhash)::bit(64)) <= $6) AS alike
       WHERE alike.url <> given.url ORDER BY alike.version, alike.url LIMIT 1) AS near`,
    [
      pages.map(({ teamId }) => teamId),
      pages.map(({ url }) => url),
      pages.map(({ contentHash }) => Buffer.from(contentHash)),
      pages.map(({ simhash }) => simhash?.hash ?? null),
      // unnest would take an array of arrays apart, so each goes in its text form.
      pages.map(({ simhash }) => (simhash === null ? null : `{${simhash.keys.join(",")}}`)),
      maxBits,
    ],
  );
  const found = new Map(rows.map(({ place, url }) => [place, url]));
  return pages.map((_page, index) => found.get(index + 1));
}
