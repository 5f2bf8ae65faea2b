import { AppError } from "@quarry/base";
import type { Transaction } from "../database.ts";
import { toStorableText } from "../documents/storable-text.ts";
import type { PageHistory } from "./crawl-frontier.ts";

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
  /** Whether a browser made the page. */
  readonly rendered: boolean;
  /** When to come again; null for a URL that is not to be visited by itself. */
  readonly schedule: (PageHistory & { readonly nextVisitAt: Date }) | null;
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
       SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::smallint[], $6::text[], $7::text[], $8::integer[],
           $9::boolean[], $10::boolean[], $11::real[], $12::real[], $13::double precision[], $14::double precision[], $15::timestamptz[])
         AS given (url, status, message, http_status, final_url, snapshot_id, byte_length, is_good, rendered, visits,
           changes, observed_ms, interval_ms, next_visit_at)),
     done AS (
       UPDATE crawl_pages AS page SET state = 'done', status = given.status, message = given.message,
         http_status = given.http_status, final_url = given.final_url, snapshot_id = given.snapshot_id,
         byte_length = given.byte_length, attempts = page.attempts + 1, done_at = $16, rendered = given.rendered,
         visits = given.visits, changes = given.changes, observed_ms = given.observed_ms,
         interval_ms = coalesce(given.interval_ms, page.interval_ms), visited_at = $16, next_visit_at = given.next_visit_at
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
      visits.map(({ rendered }) => rendered),
      visits.map(({ schedule }) => schedule?.visits ?? null),
      visits.map(({ schedule }) => schedule?.changes ?? null),
      visits.map(({ schedule }) => schedule?.observedMs ?? null),
      visits.map(({ schedule }) => schedule?.intervalMs ?? null),
      visits.map(({ schedule }) => schedule?.nextVisitAt ?? null),
      now,
    ],
  );
  if (spent === undefined) throw new AppError("not_found", "there is no crawl with this id");
  return spent;
}
