import type { CrawlStatus } from "./crawl-state.ts";

/** What someone asks a crawl to do, checked and with defaults. */
export interface CrawlRequest {
  readonly urls: readonly string[];
  readonly sitemaps: readonly string[];
  readonly scope: "host" | "domain" | "path";
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxPages: number;
  readonly maxDepth: number;
  readonly maxBytes: number;
  readonly delayMs: number;
  readonly category: string | null;
}

/** A crawl and how far it has come. */
export interface Crawl {
  readonly id: string;
  readonly teamId: string;
  readonly status: CrawlStatus;
  readonly request: CrawlRequest;
  readonly jobId: string | null;
  readonly pagesQueued: number;
  /** Visited, whatever came of it; a URL that only led to another is not counted. */
  readonly pagesDone: number;
  /** Visited without a page to show for it. */
  readonly pagesFailed: number;
  readonly bytes: number;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** A row of `crawls` with the columns of CRAWL_COLUMNS. */
export interface CrawlRow {
  readonly id: string;
  readonly team_id: string;
  readonly status: CrawlStatus;
  readonly request: CrawlRequest;
  readonly job_id: string | null;
  readonly pages_queued: number;
  readonly pages_done: number;
  readonly pages_failed: number;
  readonly bytes: number;
  readonly reason: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

export const CRAWL_COLUMNS = `id, team_id, status, request, job_id, pages_queued, pages_done, pages_failed, bytes, reason,
  created_at, started_at, finished_at`;

/** A row in the words of the program. */
export function toCrawl(row: CrawlRow): Crawl {
  return {
    id: row.id,
    teamId: row.team_id,
    status: row.status,
    request: row.request,
    jobId: row.job_id,
    pagesQueued: row.pages_queued,
    pagesDone: row.pages_done,
    pagesFailed: row.pages_failed,
    bytes: row.bytes,
    reason: row.reason,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
