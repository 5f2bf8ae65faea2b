import type { Queryable, Transaction } from "../database.ts";
import { toStorableText } from "../documents/storable-text.ts";

/** A URL a crawl is to visit. */
export interface PageToQueue {
  readonly url: string;
  readonly depth: number;
  readonly foundOn: string | null;
  /** Higher comes first; 0 unless told. */
  readonly priority?: number;
  /** How often its sitemap says that it changes. */
  readonly intervalMs?: number | undefined;
}

/** How often a page changes, as far as its visits tell; `crawl` counts it, rows keep it. */
export interface PageHistory {
  readonly visits: number;
  readonly changes: number;
  readonly observedMs: number;
  readonly intervalMs: number;
}

/** A URL whose turn has come. */
export interface QueuedPage {
  readonly url: string;
  readonly host: string;
  readonly depth: number;
  readonly attempts: number;
  /** What its sitemap says of it. */
  readonly statedIntervalMs: number | null;
  /** What earlier rounds saw of it; null at its first visit. */
  readonly seen: { readonly history: PageHistory; readonly visitedAt: Date } | null;
}

/** Adds URLs to a crawl's frontier; those it knows already stay as they are. Answers how many were new. */
export async function queuePages(
  tx: Transaction,
  crawlId: string,
  pages: readonly PageToQueue[],
  now: Date,
): Promise<number> {
  if (pages.length === 0) return 0;
  const [row] = await tx.query<{ added: number }>(
    `WITH added AS (
       INSERT INTO crawl_pages (crawl_id, url, host, depth, found_on, priority, interval_ms, state, next_at)
       SELECT $1, given.url, given.host, given.depth, given.found_on, given.priority, given.interval_ms, 'queued', $8
       FROM unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::smallint[], $7::double precision[])
         AS given (url, host, depth, found_on, priority, interval_ms)
       ON CONFLICT (crawl_id, url) DO NOTHING RETURNING 1),
     counted AS (SELECT count(*)::integer AS added FROM added)
     UPDATE crawls SET pages_queued = pages_queued + counted.added FROM counted WHERE id = $1
     RETURNING counted.added`,
    [
      crawlId,
      pages.map(({ url }) => url),
      pages.map(({ url }) => new URL(url).host),
      pages.map(({ depth }) => depth),
      pages.map(({ foundOn }) => foundOn),
      pages.map(({ priority }) => priority ?? 0),
      pages.map(({ intervalMs }) => intervalMs ?? null),
      now,
    ],
  );
  return row?.added ?? 0;
}

/**
 * Pages to visit next, those of higher priority first, then by discovery, leaving out `except` (those under way) and
 * every page of `exceptHosts`. Each host's best are looked up by themselves, so that a host with a million pages that
 * must rest costs nothing.
 */
export async function nextPages(
  db: Queryable,
  crawlId: string,
  wish: {
    readonly limit: number;
    readonly except: readonly string[];
    readonly exceptHosts: readonly string[];
    readonly now: Date;
  },
): Promise<readonly QueuedPage[]> {
  const rows = await db.query<QueuedRow>(
    `WITH RECURSIVE hosts AS (
       (SELECT host FROM crawl_pages WHERE crawl_id = $1 AND state = 'queued' ORDER BY host LIMIT 1)
       UNION ALL
       SELECT (SELECT page.host FROM crawl_pages AS page
               WHERE page.crawl_id = $1 AND page.state = 'queued' AND page.host > hosts.host ORDER BY page.host LIMIT 1)
       FROM hosts WHERE hosts.host IS NOT NULL)
     SELECT best.* FROM hosts CROSS JOIN LATERAL (
       SELECT url, host, depth, attempts, visits, changes, observed_ms, interval_ms, visited_at, priority, place
       FROM crawl_pages AS page
       WHERE page.crawl_id = $1 AND page.state = 'queued' AND page.host = hosts.host AND page.next_at <= $2
         AND NOT (page.url = ANY ($3))
       ORDER BY priority DESC, place LIMIT $5) AS best
     WHERE NOT (hosts.host = ANY ($4))
     ORDER BY best.priority DESC, best.place LIMIT $5`,
    [crawlId, wish.now, wish.except, wish.exceptHosts, wish.limit],
  );
  return rows.map(toQueuedPage);
}

/** Whether a crawl knows a URL: it has visited it, or will. */
export async function isPageKnown(db: Queryable, crawlId: string, url: string): Promise<boolean> {
  const rows = await db.query("SELECT FROM crawl_pages WHERE crawl_id = $1 AND url = $2", [crawlId, url]);
  return rows.length > 0;
}

/** When the next page's turn comes; undefined when none is queued. */
export async function nextPageAt(db: Queryable, crawlId: string): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date | null }>(
    "SELECT min(next_at) AS at FROM crawl_pages WHERE crawl_id = $1 AND state = 'queued'",
    [crawlId],
  );
  return row?.at ?? undefined;
}

/** Puts a page off: it failed in a way that may pass. */
export async function postponePage(
  db: Queryable,
  crawlId: string,
  page: { readonly url: string; readonly nextAt: Date; readonly message: string },
): Promise<void> {
  await db.query(
    `UPDATE crawl_pages SET attempts = attempts + 1, next_at = $3, message = $4
     WHERE crawl_id = $1 AND url = $2 AND state = 'queued'`,
    [crawlId, page.url, page.nextAt, toStorableText(page.message)],
  );
}

interface QueuedRow {
  readonly url: string;
  readonly host: string;
  readonly depth: number;
  readonly attempts: number;
  readonly visits: number | null;
  readonly changes: number | null;
  readonly observed_ms: number | null;
  readonly interval_ms: number | null;
  readonly visited_at: Date | null;
}

function toQueuedPage(row: QueuedRow): QueuedPage {
  const { url, host, depth, attempts, visits, changes, observed_ms: observedMs, interval_ms: intervalMs } = row;
  const place = { url, host, depth, attempts, statedIntervalMs: intervalMs };
  if (visits === null || changes === null || observedMs === null || intervalMs === null || row.visited_at === null) {
    return { ...place, seen: null };
  }
  return { ...place, seen: { history: { visits, changes, observedMs, intervalMs }, visitedAt: row.visited_at } };
}
