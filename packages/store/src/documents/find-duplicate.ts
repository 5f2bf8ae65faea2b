import type { Queryable } from "../database.ts";

/** Texts that differ in at most this many bits of their simhash count as one. */
export const MAX_SIMHASH_DISTANCE = 3;

/**
 * The team's oldest page with the same content, or one so near that it counts as the same; undefined when there is
 * none. Pages that are duplicates themselves do not stand for others.
 */
export async function findDuplicate(
  db: Queryable,
  teamId: string,
  page: { readonly url: string; readonly contentHash: Uint8Array; readonly simhash: bigint | null },
): Promise<string | undefined> {
  const simhash = page.simhash === null ? null : BigInt.asIntN(64, page.simhash).toString();
  const [row] = await db.query<{ url: string }>(
    `WITH near AS (
       SELECT url, version, simhash, content_hash FROM documents
       WHERE team_id = $1 AND deleted_at IS NULL AND canonical_url IS NULL AND content_hash = $3
       UNION ALL ${[48, 32, 16, 0].map(bandQuery).join(" UNION ALL ")})
     SELECT url FROM near
     WHERE url <> $2 AND (content_hash = $3 OR bit_count((simhash # $4)::bit(64)) <= ${MAX_SIMHASH_DISTANCE})
     ORDER BY version, url LIMIT 1`,
    [teamId, page.url, Buffer.from(page.contentHash), simhash],
  );
  return row?.url;
}

/** Written exactly as the expression of its index, so that the index is used. */
function bandQuery(shift: number): string {
  const band = (value: string): string => (shift === 0 ? `(${value} & 65535)` : `((${value} >> ${shift}) & 65535)`);
  return `SELECT url, version, simhash, content_hash FROM documents
    WHERE team_id = $1 AND deleted_at IS NULL AND canonical_url IS NULL AND ${band("simhash")} = ${band("$4::bigint")}`;
}
