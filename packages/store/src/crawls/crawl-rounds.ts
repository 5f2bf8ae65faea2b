import type { Database, Queryable, Transaction } from "../database.ts";
import { moveCrawl } from "./crawl-state.ts";
import { CRAWL_COLUMNS, toCrawl, type Crawl, type CrawlRow, type RecrawlSettings } from "./crawl.ts";
import { enqueueCrawl, getCrawl, requireCrawl, tellCrawl } from "./manage-crawls.ts";

/** Rounds begun in one call; the next call begins the others. */
const MAX_ROUNDS = 100;
/** What is due goes before whatever it leads to. */
const DUE_PRIORITY = 2_000;

/**
 * Begins a round for every completed crawl that visits its pages again and has one due: what is due is queued, the
 * counts start anew, and the crawl's job is enqueued, in one transaction a crawl. Pages that the budget of earlier
 * rounds left out stay out, and new ones are read only as far as `maxPages` leaves room. Answers the crawls begun;
 * called twice at once, each is begun once.
 */
export async function startDueRounds(db: Database, now: Date): Promise<readonly Crawl[]> {
  const due = await db.query<{ id: string }>(
    `SELECT id FROM crawls
     WHERE status = 'completed' AND (request -> 'recrawl' ->> 'enabled') = 'true' AND EXISTS (
       SELECT FROM crawl_pages AS page
       WHERE page.crawl_id = crawls.id AND page.state = 'done' AND page.next_visit_at <= $1)
     ORDER BY id LIMIT ${MAX_ROUNDS}`,
    [now],
  );
  const begun: Crawl[] = [];
  for (const { id } of due) {
    const crawl = await db.transaction((tx) => startRound(tx, id, now));
    if (crawl !== undefined) begun.push(crawl);
  }
  return begun;
}

async function startRound(tx: Transaction, id: string, now: Date): Promise<Crawl | undefined> {
  const crawl = await requireCrawl(tx, id);
  const status = moveCrawl(crawl.status, "revisit");
  if (status === undefined || !crawl.request.recrawl.enabled) return undefined; // another was faster
  const [known] = await tx.query<{ pages: number }>(
    "SELECT count(*)::integer AS pages FROM crawl_pages WHERE crawl_id = $1 AND state = 'done'",
    [id],
  );
  await tx.query("UPDATE crawl_pages SET state = 'left' WHERE crawl_id = $1 AND state = 'queued'", [id]);
  const queued = await tx.query(
    `UPDATE crawl_pages SET state = 'queued', status = NULL, message = NULL, http_status = NULL, done_at = NULL,
       attempts = 0, next_at = $2, priority = ${DUE_PRIORITY}
     WHERE crawl_id = $1 AND url IN (
       SELECT url FROM crawl_pages WHERE crawl_id = $1 AND state = 'done' AND next_visit_at <= $2
       ORDER BY next_visit_at LIMIT $3)
     RETURNING 1`,
    [id, now, crawl.request.maxPages],
  );
  const roundMaxPages = queued.length + Math.max(0, crawl.request.maxPages - (known?.pages ?? 0));
  const [row] = await tx.query<CrawlRow>(
    `UPDATE crawls SET status = $2, round = round + 1, round_max_pages = $3, pages_queued = $4, pages_done = 0,
       pages_failed = 0, bytes = 0, reason = NULL, started_at = NULL, finished_at = NULL
     WHERE id = $1 RETURNING ${CRAWL_COLUMNS}`,
    [id, status, roundMaxPages, queued.length],
  );
  if (row === undefined) return undefined;
  await enqueueCrawl(tx, id, crawl.teamId);
  await tellCrawl(tx, toCrawl(row), "crawl.revisited", now);
  return toCrawl(row);
}

/** Switches re-visits on or off and sets their bounds; what is known of each page's changes stays. */
export function setRecrawl(
  db: Database,
  teamId: string,
  change: { readonly id: string; readonly recrawl: RecrawlSettings; readonly now: Date },
): Promise<Crawl> {
  const { id, recrawl, now } = change;
  return db.transaction(async (tx) => {
    await getCrawl(tx, teamId, id);
    await tx.query("UPDATE crawls SET request = jsonb_set(request, '{recrawl}', $2::jsonb) WHERE id = $1", [
      id,
      JSON.stringify(recrawl),
    ]);
    await tx.query(
      `UPDATE crawl_pages SET next_visit_at =
         greatest(visited_at + $2 * interval '1 hour', least(next_visit_at, visited_at + $3 * interval '1 hour'))
       WHERE crawl_id = $1 AND state = 'done' AND next_visit_at IS NOT NULL`,
      [id, recrawl.minHours, recrawl.maxHours],
    );
    const crawl = await requireCrawl(tx, id);
    await tellCrawl(tx, crawl, "crawl.updated", now);
    return crawl;
  });
}

/** When the next page of a crawl falls due; undefined where it is not visited again, or not yet at its end. */
export async function nextRoundAt(db: Queryable, crawl: Crawl): Promise<Date | undefined> {
  if (crawl.status !== "completed" || !crawl.request.recrawl.enabled) return undefined;
  const [row] = await db.query<{ at: Date | null }>(
    "SELECT min(next_visit_at) AS at FROM crawl_pages WHERE crawl_id = $1 AND state = 'done' AND next_visit_at IS NOT NULL",
    [crawl.id],
  );
  return row?.at ?? undefined;
}

/** Notes that a crawl's sitemaps have been read to their end. */
export async function noteSitemapsRead(db: Queryable, crawlId: string, now: Date): Promise<void> {
  await db.query("UPDATE crawls SET sitemaps_read_at = $2 WHERE id = $1", [crawlId, now]);
}
