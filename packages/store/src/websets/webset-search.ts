import type { Json } from "../jsonb.ts";
import { columnsOf, type RowOf } from "./columns.ts";
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
  /** What was wrong, when it failed. */
  readonly endMessage: string | null;
  readonly canceledAt: Date | null;
  readonly canceledReason: "webset_deleted" | "webset_canceled" | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of `webset_searches`. */
export type WebsetSearchRow = RowOf<WebsetSearch>;

const columns = columnsOf<WebsetSearch>({
  id: true,
  websetId: true,
  teamId: true,
  status: true,
  query: true,
  entity: true,
  criteria: true,
  count: true,
  behavior: true,
  exclude: true,
  scope: true,
  maxPeoplePerCompany: true,
  wantsRecall: true,
  metadata: true,
  plan: true,
  step: true,
  candidates: true,
  analyzed: true,
  found: true,
  recall: true,
  endReason: true,
  endMessage: true,
  canceledAt: true,
  canceledReason: true,
  startedAt: true,
  finishedAt: true,
  createdAt: true,
  updatedAt: true,
});

/** The columns of `toWebsetSearch`. */
export const WEBSET_SEARCH_COLUMNS = columns.list;

/** Reads a row. */
export const toWebsetSearch = columns.read;
