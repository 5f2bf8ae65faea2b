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
