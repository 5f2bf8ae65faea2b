import type { Queryable } from "../database.ts";
import {
  toWebsetEnrichment,
  WEBSET_ENRICHMENT_COLUMNS,
  type WebsetEnrichment,
  type WebsetEnrichmentRow,
} from "./webset-enrichment.ts";
import { toWebsetSearch, WEBSET_SEARCH_COLUMNS, type WebsetSearch, type WebsetSearchRow } from "./webset-search.ts";
import { isWebsetSearchOpen, statusOfWebset, type WebsetStatus } from "./webset-state.ts";
import type { Webset } from "./webset.ts";

/** A webset with what its status follows from. */
export interface WebsetParts {
  readonly webset: Webset;
  readonly searches: readonly WebsetSearch[];
  readonly enrichments: readonly (WebsetEnrichment & { readonly hasOpenCells: boolean })[];
  /** Open imports and runs of monitors. */
  readonly openWork: readonly { readonly kind: "import" | "monitor_run"; readonly id: string }[];
}

/** The parts of websets, in their order; three indexed statements, however many there are. */
export async function readWebsetParts(db: Queryable, websets: readonly Webset[]): Promise<readonly WebsetParts[]> {
  const ids = websets.map(({ id }) => id);
  const searches = await db.query<WebsetSearchRow>(
    `SELECT ${WEBSET_SEARCH_COLUMNS} FROM webset_searches WHERE webset_id = ANY ($1) ORDER BY sequence`,
    [ids],
  );
  const enrichments = await db.query<WebsetEnrichmentRow & { readonly has_open_cells: boolean }>(
    `SELECT ${WEBSET_ENRICHMENT_COLUMNS}, EXISTS (
       SELECT FROM webset_cells AS cell
       WHERE cell.webset_id = enrichment.webset_id AND cell.enrichment_id = enrichment.id AND cell.status = 'pending'
     ) AS has_open_cells
     FROM webset_enrichments AS enrichment WHERE webset_id = ANY ($1) ORDER BY sequence`,
    [ids],
  );
  const work = await db.query<{
    readonly webset_id: string;
    readonly kind: "import" | "monitor_run";
    readonly id: string;
  }>("SELECT webset_id, kind, id FROM webset_work WHERE webset_id = ANY ($1) ORDER BY begun_at", [ids]);
  return websets.map((webset) => ({
    webset,
    searches: searches.filter((row) => row.webset_id === webset.id).map(toWebsetSearch),
    enrichments: enrichments
      .filter((row) => row.webset_id === webset.id)
      .map((row) => ({ ...toWebsetEnrichment(row), hasOpenCells: row.has_open_cells })),
    openWork: work.filter((row) => row.webset_id === webset.id).map(({ kind, id }) => ({ kind, id })),
  }));
}

/** The status that a webset's parts give it. */
export function statusOfParts(parts: WebsetParts): WebsetStatus {
  return statusOfWebset({
    isPaused: parts.webset.pausedAt !== null,
    searches: parts.searches.map(({ status }) => status),
    hasOpenCells: parts.enrichments.some(({ hasOpenCells }) => hasOpenCells),
    hasOpenWork: parts.openWork.length > 0,
  });
}

/** Whether items may still come by themselves: a search or an import is open. */
export function mayItemsCome(parts: Pick<WebsetParts, "searches" | "openWork">): boolean {
  return parts.openWork.length > 0 || parts.searches.some(({ status }) => isWebsetSearchOpen(status));
}

/** How many websets of a team work, and how many wait: for `teams/me`. */
export async function countActiveWebsets(
  db: Queryable,
  teamId: string,
): Promise<{ readonly active: number; readonly queued: number }> {
  const [row] = await db.query<{ readonly active: number; readonly queued: number }>(
    `SELECT count(*) FILTER (WHERE status = 'running') AS active, count(*) FILTER (WHERE status <> 'running') AS queued
     FROM webset_searches AS search JOIN websets AS webset ON webset.id = search.webset_id
     WHERE webset.team_id = $1 AND search.status IN ('created', 'pending', 'running')`,
    [teamId],
  );
  return { active: row?.active ?? 0, queued: row?.queued ?? 0 };
}

/** Whether anything of a webset is open; three looks into indexes. */
export async function isWebsetBusy(db: Queryable, websetId: string): Promise<boolean> {
  const [row] = await db.query<{ readonly busy: boolean }>(
    `SELECT EXISTS (SELECT FROM webset_searches WHERE webset_id = $1 AND status IN ('created', 'pending', 'running'))
       OR EXISTS (SELECT FROM webset_cells WHERE webset_id = $1 AND status = 'pending')
       OR EXISTS (SELECT FROM webset_work WHERE webset_id = $1) AS busy`,
    [websetId],
  );
  return row?.busy === true;
}

/** How much of a webset is open, and how its jobs stand: what people ask when it seems to hang. */
export interface WebsetBacklog {
  readonly openCandidates: number;
  readonly openCells: number;
  readonly queuedJobs: number;
  readonly runningJobs: number;
  /** Jobs that have failed at least once and are tried again. */
  readonly failingJobs: number;
  /** Why the one that failed last did. */
  readonly lastError: string | null;
}

/** Counts what a webset waits for; `jobKey` is the key its jobs share. */
export async function readWebsetBacklog(db: Queryable, websetId: string, jobKey: string): Promise<WebsetBacklog> {
  const [row] = await db.query<{
    readonly open_candidates: number;
    readonly open_cells: number;
    readonly queued: number;
    readonly running: number;
    readonly failing: number;
    readonly last_error: string | null;
  }>(
    `SELECT (SELECT count(*) FROM webset_candidates AS candidate JOIN webset_searches AS search ON search.id = candidate.search_id
         WHERE search.webset_id = $1 AND search.status = 'running' AND candidate.state = 'open') AS open_candidates,
       (SELECT count(*) FROM webset_cells WHERE webset_id = $1 AND status = 'pending') AS open_cells,
       (SELECT count(*) FROM jobs WHERE concurrency_key = $2 AND state IN ('queued', 'blocked', 'scheduled')) AS queued,
       (SELECT count(*) FROM jobs WHERE concurrency_key = $2 AND state = 'running') AS running,
       (SELECT count(*) FROM jobs WHERE concurrency_key = $2 AND state IN ('queued', 'blocked', 'scheduled')
          AND error_code IS NOT NULL) AS failing,
       (SELECT error_message FROM jobs WHERE concurrency_key = $2 AND state IN ('queued', 'blocked', 'scheduled', 'running')
          AND error_code IS NOT NULL ORDER BY sequence DESC LIMIT 1) AS last_error`,
    [websetId, jobKey],
  );
  return {
    openCandidates: row?.open_candidates ?? 0,
    openCells: row?.open_cells ?? 0,
    queuedJobs: row?.queued ?? 0,
    runningJobs: row?.running ?? 0,
    failingJobs: row?.failing ?? 0,
    lastError: row?.last_error ?? null,
  };
}
