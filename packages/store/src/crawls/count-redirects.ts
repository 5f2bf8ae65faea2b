import type { Queryable } from "../database.ts";
import { REDIRECTED } from "./record-visits.ts";

/** How many redirects, one after the other and over however many visits, led a crawl to this URL; counts up to `most`. */
export async function countRedirectsTo(
  db: Queryable,
  crawlId: string,
  { url, most }: { readonly url: string; readonly most: number },
): Promise<number> {
  const [row] = await db.query<{ hops: number }>(
    `WITH RECURSIVE way AS (
       SELECT found_on AS url, 0 AS hops FROM crawl_pages WHERE crawl_id = $1 AND url = $2
       UNION ALL
       SELECT page.found_on, way.hops + 1
       FROM way JOIN crawl_pages AS page ON page.crawl_id = $1 AND page.url = way.url AND page.status = '${REDIRECTED}'
       WHERE way.hops < $3)
     SELECT coalesce(max(hops), 0) AS hops FROM way`,
    [crawlId, url, most],
  );
  return row?.hops ?? 0;
}
