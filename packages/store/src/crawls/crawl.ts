import type { CrawlStatus } from "./crawl-state.ts";

/** Whether pages are shown by a browser before they are read: those that seem to need it, all of them, or none. */
export type RenderMode = "never" | "auto" | "always";

/** Whether a crawl's pages are visited again after it has ended, and between which bounds. */
export interface RecrawlSettings {
  readonly enabled: boolean;
  readonly minHours: number;
  readonly maxHours: number;
}

/** What holds when nobody asks for re-visits; the bounds are those of a crawl that is switched on later. */
export const DEFAULT_RECRAWL: RecrawlSettings = { enabled: false, minHours: 1, maxHours: 90 * 24 };

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
  readonly render: RenderMode;
  readonly recrawl: RecrawlSettings;
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
  /** 1 for the first run, one more for each re-visit of what is due; the counts are those of this round. */
  readonly round: number;
  /** Pages that this round may visit. */
  readonly maxPages: number;
  readonly sitemapsReadAt: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** A row of `crawls` with the columns of CRAWL_COLUMNS. */
export interface CrawlRow {
  readonly id: string;
  readonly team_id: string;
  readonly status: CrawlStatus;
  /** Rows of older versions lack what came later. */
  readonly request: Omit<CrawlRequest, "render" | "recrawl"> & Partial<CrawlRequest>;
  readonly job_id: string | null;
  readonly pages_queued: number;
  readonly pages_done: number;
  readonly pages_failed: number;
  readonly bytes: number;
  readonly reason: string | null;
  readonly round: number;
  readonly round_max_pages: number | null;
  readonly sitemaps_read_at: Date | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

export const CRAWL_COLUMNS = `id, team_id, status, request, job_id, pages_queued, pages_done, pages_failed, bytes, reason,
  round, round_max_pages, sitemaps_read_at, created_at, started_at, finished_at`;

/** A row in the words of the program. */
export function toCrawl(row: CrawlRow): Crawl {
  return {
    id: row.id,
    teamId: row.team_id,
    status: row.status,
    request: { ...row.request, render: row.request.render ?? "never", recrawl: row.request.recrawl ?? DEFAULT_RECRAWL },
    jobId: row.job_id,
    pagesQueued: row.pages_queued,
    pagesDone: row.pages_done,
    pagesFailed: row.pages_failed,
    bytes: row.bytes,
    reason: row.reason,
    round: row.round,
    maxPages: row.round_max_pages ?? row.request.maxPages,
    sitemapsReadAt: row.sitemaps_read_at,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
