import type { Json } from "../jsonb.ts";
import type { WebsetSearchStatus } from "./webset-state.ts";
import type { WebsetSource } from "./webset.ts";

/** A criterion, and how the candidates judged so far fared with it. */
export interface WebsetCriterion {
  readonly description: string;
  readonly judged: number;
  readonly yes: number;
}

/** A source whose entities a search filters, or from which it hops to related ones. */
export interface WebsetScope extends WebsetSource {
  readonly relationship?: { readonly definition: string; readonly limit: number };
}

/** A search of a webset as the store keeps it. */
export interface WebsetSearch {
  readonly id: string;
  readonly websetId: string;
  readonly teamId: string;
  readonly status: WebsetSearchStatus;
  readonly query: string;
  /** Null until the query is understood. */
  readonly entity: Json;
  readonly criteria: readonly WebsetCriterion[];
  readonly count: number;
  readonly behavior: "override" | "append";
  readonly exclude: readonly WebsetSource[];
  readonly scope: readonly WebsetScope[];
  readonly maxPeoplePerCompany: number | null;
  readonly wantsRecall: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** The steps of collecting; their shape is the websets room's. */
  readonly plan: readonly Json[] | null;
  /** The next step. */
  readonly step: number;
  readonly candidates: number;
  readonly analyzed: number;
  readonly found: number;
  readonly recall: Json;
  readonly endReason: string | null;
  readonly canceledAt: Date | null;
  readonly canceledReason: "webset_deleted" | "webset_canceled" | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of `webset_searches`. */
export interface WebsetSearchRow {
  readonly id: string;
  readonly webset_id: string;
  readonly team_id: string;
  readonly status: WebsetSearchStatus;
  readonly query: string;
  readonly entity: Json;
  readonly criteria: readonly WebsetCriterion[];
  readonly count: number;
  readonly behavior: "override" | "append";
  readonly exclude: readonly WebsetSource[];
  readonly scope: readonly WebsetScope[];
  readonly max_people_per_company: number | null;
  readonly wants_recall: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly plan: readonly Json[] | null;
  readonly step: number;
  readonly candidates: number;
  readonly analyzed: number;
  readonly found: number;
  readonly recall: Json;
  readonly end_reason: string | null;
  readonly canceled_at: Date | null;
  readonly canceled_reason: "webset_deleted" | "webset_canceled" | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The columns of `toWebsetSearch`. */
export const WEBSET_SEARCH_COLUMNS = `id, webset_id, team_id, status, query, entity, criteria, count, behavior, exclude, scope,
  max_people_per_company, wants_recall, metadata, plan, step, candidates, analyzed, found, recall, end_reason, canceled_at,
  canceled_reason, started_at, finished_at, created_at, updated_at`;

/** Reads a row. */
export function toWebsetSearch(row: WebsetSearchRow): WebsetSearch {
  return {
    id: row.id,
    websetId: row.webset_id,
    teamId: row.team_id,
    status: row.status,
    query: row.query,
    entity: row.entity,
    criteria: row.criteria,
    count: row.count,
    behavior: row.behavior,
    exclude: row.exclude,
    scope: row.scope,
    maxPeoplePerCompany: row.max_people_per_company,
    wantsRecall: row.wants_recall,
    metadata: row.metadata,
    plan: row.plan,
    step: row.step,
    candidates: row.candidates,
    analyzed: row.analyzed,
    found: row.found,
    recall: row.recall,
    endReason: row.end_reason,
    canceledAt: row.canceled_at,
    canceledReason: row.canceled_reason,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
