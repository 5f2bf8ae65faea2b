import type { Queryable } from "../database.ts";
import type { Fingerprint } from "./save-documents.ts";

/**
 * The team's oldest page with the same content, or with a fingerprint at most `maxBits` away; undefined when there is
 * none. Pages that are duplicates themselves do not stand for others.
 */
export async function findDuplicate(
  db: Queryable,
  teamId: string,
  page: {
    readonly url: string;
    readonly contentHash: Uint8Array;
    readonly simhash: Fingerprint | null;
    readonly maxBits: number;
  },
): Promise<string | undefined> {
  const [row] = await db.query<{ url: string }>(
    `SELECT near.url FROM (
       SELECT url, version FROM documents
       WHERE team_id = $1 AND deleted_at IS NULL AND canonical_url IS NULL AND content_hash = $3
       UNION ALL
       SELECT url, version FROM documents
       WHERE simhash_keys && $5::integer[] AND deleted_at IS NULL AND canonical_url IS NULL AND team_id = $1
         AND bit_count(('x' || simhash)::bit(64) # ('x' || $4::text)::bit(64)) <= $6) AS near
     WHERE near.url <> $2 ORDER BY near.version, near.url LIMIT 1`,
    [
      teamId,
      page.url,
      Buffer.from(page.contentHash),
      page.simhash?.hash ?? null,
      page.simhash?.keys ?? null,
      page.maxBits,
    ],
  );
  return row?.url;
}
