import type { Transaction } from "../database.ts";
import { toStorableText } from "../documents/storable-text.ts";

/** A sitemap of a crawl that could not be read, or not as a whole. */
export interface SitemapFault {
  readonly url: string;
  /** `sitemap-` and the word for its fault. */
  readonly status: `sitemap-${string}`;
  readonly message: string;
}

/**
 * Puts the faults that a reading of a crawl's sitemaps found among its failed pages, in place of those of the reading
 * before. Sitemaps take nothing of the page budget. One that is also a page of the crawl stays that page.
 */
export async function recordSitemapFaults(
  tx: Transaction,
  crawlId: string,
  faults: readonly SitemapFault[],
  now: Date,
): Promise<void> {
  const gone = await tx.query<{ counted: boolean }>(
    `DELETE FROM crawl_pages AS page USING crawls
     WHERE crawls.id = $1 AND page.crawl_id = $1 AND page.state = 'done' AND page.status LIKE 'sitemap-%'
     RETURNING coalesce(page.done_at >= crawls.started_at, false) AS counted`,
    [crawlId],
  );
  const added = await tx.query(
    `INSERT INTO crawl_pages (crawl_id, url, host, depth, state, status, message, attempts, next_at, done_at)
     SELECT $1, given.url, given.host, 0, 'done', given.status, given.message, 1, $6, $6
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS given (url, host, status, message)
     ON CONFLICT (crawl_id, url) DO NOTHING RETURNING 1`,
    [
      crawlId,
      faults.map(({ url }) => url),
      faults.map(({ url }) => new URL(url).host),
      faults.map(({ status }) => status),
      faults.map(({ message }) => toStorableText(message)),
      now,
    ],
  );
  const change = added.length - gone.filter(({ counted }) => counted).length; // earlier rounds have counts of their own
  await tx.query("UPDATE crawls SET pages_failed = pages_failed + $2 WHERE id = $1", [crawlId, change]);
}
