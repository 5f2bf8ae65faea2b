import { decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable } from "../database.ts";
import type { VisitedPage } from "./record-visits.ts";

/** A visited page as it is listed. */
export interface CrawlPage extends Omit<VisitedPage, "isGood" | "status" | "schedule"> {
  readonly status: string | null;
  readonly state: "queued" | "done" | "left";
  readonly depth: number;
  readonly attempts: number;
  readonly foundOn: string | null;
  readonly doneAt: Date | null;
  /** When its turn comes again, where the crawl is one that comes again. */
  readonly nextVisitAt: Date | null;
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
    `SELECT url, state, status, message, http_status, final_url, snapshot_id, byte_length, depth, attempts, found_on, done_at,
       rendered, next_visit_at, place
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
  readonly state: "queued" | "done" | "left";
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
  readonly rendered: boolean;
  readonly next_visit_at: Date | null;
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
    rendered: row.rendered,
    nextVisitAt: row.next_visit_at,
  };
}
