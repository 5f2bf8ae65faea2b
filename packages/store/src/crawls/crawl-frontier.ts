import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { toStorableText } from "../documents/storable-text.ts";

/** A URL a crawl is to visit. */
export interface PageToQueue {
  readonly url: string;
  readonly depth: number;
  readonly foundOn: string | null;
}

/** A URL whose turn has come. */
export interface QueuedPage {
  readonly url: string;
  readonly host: string;
  readonly depth: number;
  readonly attempts: number;
}

/** What became of one visit. */
export interface VisitedPage {
  readonly url: string;
  /** A word of fetch-page.ts: fetched, not-modified, robots, timeout… */
  readonly status: string;
  readonly message: string | null;
  readonly httpStatus: number | null;
  readonly finalUrl: string | null;
  readonly snapshotId: string | null;
  readonly byteLength: number;
  /** Whether there is a page to show for it. */
  readonly isGood: boolean;
}

/** A visited page as it is listed. */
export interface CrawlPage extends Omit<VisitedPage, "isGood" | "status"> {
  readonly status: string | null;
  readonly state: "queued" | "done";
  readonly depth: number;
  readonly attempts: number;
  readonly foundOn: string | null;
  readonly doneAt: Date | null;
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
       INSERT INTO crawl_pages (crawl_id, url, host, depth, found_on, state, next_at)
       SELECT $1, given.url, given.host, given.depth, given.found_on, 'queued', $6
       FROM unnest($2::text[], $3::text[], $4::integer[], $5::text[]) AS given (url, host, depth, found_on)
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
      now,
    ],
  );
  return row?.added ?? 0;
}

/** Pages to visit next, breadth first, leaving out `except` (those under way) and every page of `exceptHosts`. */
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
  return db.query<QueuedPage>(
    `SELECT url, host, depth, attempts FROM crawl_pages
     WHERE crawl_id = $1 AND state = 'queued' AND next_at <= $2 AND NOT (url = ANY ($3)) AND NOT (host = ANY ($4))
     ORDER BY depth, place LIMIT $5`,
    [crawlId, wish.now, wish.except, wish.exceptHosts, wish.limit],
  );
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

/** The status of a URL that only led to another; no page, so it does not count as one. */
export const REDIRECTED = "redirected";

/** What a crawl has used of its budget. */
export interface CrawlSpent {
  readonly pages: number;
  readonly bytes: number;
}

/**
 * Records visits: these pages are done in this crawl. One that was recorded before is left alone. Answers what the
 * crawl has used of its budget now.
 */
export async function recordVisits(
  tx: Transaction,
  crawlId: string,
  visits: readonly VisitedPage[],
  now: Date,
): Promise<CrawlSpent> {
  const [spent] = await tx.query<CrawlSpent>(
    `WITH given AS (
       SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::smallint[], $6::text[], $7::text[], $8::integer[], $9::boolean[])
         AS given (url, status, message, http_status, final_url, snapshot_id, byte_length, is_good)),
     done AS (
       UPDATE crawl_pages AS page SET state = 'done', status = given.status, message = given.message,
         http_status = given.http_status, final_url = given.final_url, snapshot_id = given.snapshot_id,
         byte_length = given.byte_length, attempts = page.attempts + 1, done_at = $10
       FROM given WHERE page.crawl_id = $1 AND page.url = given.url AND page.state = 'queued'
       RETURNING given.is_good, given.byte_length, given.status)
     UPDATE crawls SET
       pages_queued = pages_queued - (SELECT count(*) FROM done),
       pages_done = pages_done + (SELECT count(*) FROM done WHERE status <> '${REDIRECTED}'),
       pages_failed = pages_failed + (SELECT count(*) FROM done WHERE NOT is_good),
       bytes = bytes + (SELECT coalesce(sum(byte_length), 0) FROM done)
     WHERE id = $1 RETURNING pages_done AS pages, bytes`,
    [
      crawlId,
      visits.map(({ url }) => url),
      visits.map(({ status }) => status),
      visits.map(({ message }) => (message === null ? null : toStorableText(message))),
      visits.map(({ httpStatus }) => httpStatus),
      visits.map(({ finalUrl }) => finalUrl),
      visits.map(({ snapshotId }) => snapshotId),
      visits.map(({ byteLength }) => byteLength),
      visits.map(({ isGood }) => isGood),
      now,
    ],
  );
  if (spent === undefined) throw new AppError("not_found", "there is no crawl with this id");
  return spent;
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

/** How many pages ended in each status. */
export async function countPagesByStatus(db: Queryable, crawlId: string): Promise<Readonly<Record<string, number>>> {
  const rows = await db.query<{ status: string; count: number }>(
    "SELECT status, count(*)::integer AS count FROM crawl_pages WHERE crawl_id = $1 AND state = 'done' GROUP BY status",
    [crawlId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** A crawl's pages in the order of discovery, all or those of one status. */
export async function listCrawlPages(
  db: Queryable,
  crawlId: string,
  wish: { readonly status?: string | undefined; readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<CrawlPage>> {
  const [after] = wish.cursor === undefined ? [] : decodeCursor(wish.cursor, 1);
  const rows = await db.query<CrawlPageRow>(
    `SELECT url, state, status, message, http_status, final_url, snapshot_id, byte_length, depth, attempts, found_on, done_at, place
     FROM crawl_pages
     WHERE crawl_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::bigint IS NULL OR place > $3)
     ORDER BY place LIMIT $4`,
    [crawlId, wish.status ?? null, after ?? null, wish.limit + 1],
  );
  const page = toPage(rows, wish.limit, ({ place }) => [String(place)]);
  return { ...page, data: page.data.map(toCrawlPage) };
}

interface CrawlPageRow {
  readonly url: string;
  readonly state: "queued" | "done";
  readonly status: string | null;
  readonly message: string | null;
  readonly http_status: number | null;
  readonly final_url: string | null;
  readonly snapshot_id: string | null;
  readonly byte_length: number | null;
  readonly depth: number;
  readonly attempts: number;
  readonly found_on: string | null;
  readonly done_at: Date | null;
  readonly place: number;
}

function toCrawlPage(row: CrawlPageRow): CrawlPage {
  return {
    url: row.url,
    state: row.state,
    status: row.status,
    message: row.message,
    httpStatus: row.http_status,
    finalUrl: row.final_url,
    snapshotId: row.snapshot_id,
    byteLength: row.byte_length ?? 0,
    depth: row.depth,
    attempts: row.attempts,
    foundOn: row.found_on,
    doneAt: row.done_at,
  };
}
