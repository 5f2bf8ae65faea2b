import { AppError } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import {
  toWebsetSearch,
  WEBSET_SEARCH_COLUMNS,
  type WebsetCriterion,
  type WebsetSearch,
  type WebsetSearchRow,
} from "./webset-search.ts";
import { moveWebsetSearch, type WebsetSearchMove } from "./webset-state.ts";
import { asJson } from "./webset.ts";

/** What a new search is made of. */
export interface NewWebsetSearch extends Pick<
  WebsetSearch,
  | "id"
  | "websetId"
  | "teamId"
  | "query"
  | "entity"
  | "count"
  | "behavior"
  | "exclude"
  | "scope"
  | "maxPeoplePerCompany"
  | "wantsRecall"
  | "metadata"
> {
  /** Empty when they are to be derived. */
  readonly criteria: readonly { readonly description: string }[];
}

/** Makes a search; the same id again changes nothing and answers undefined. The caller holds the webset's lock. */
export async function insertWebsetSearch(
  tx: Transaction,
  search: NewWebsetSearch,
  now: Date,
): Promise<WebsetSearch | undefined> {
  const [row] = await tx.query<WebsetSearchRow>(
    `INSERT INTO webset_searches (id, webset_id, team_id, status, query, entity, criteria, count, behavior, exclude, scope,
       max_people_per_company, wants_recall, metadata, created_at, updated_at)
     VALUES ($1, $2, $3, 'created', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
     ON CONFLICT (id) DO NOTHING RETURNING ${WEBSET_SEARCH_COLUMNS}`,
    [
      search.id,
      search.websetId,
      search.teamId,
      search.query,
      search.entity === null ? null : toJsonb(search.entity),
      toJsonb(search.criteria.map(({ description }) => ({ description, judged: 0, yes: 0 }))),
      search.count,
      search.behavior,
      toJsonb(asJson(search.exclude)),
      toJsonb(asJson(search.scope)),
      search.maxPeoplePerCompany,
      search.wantsRecall,
      toJsonb(search.metadata),
      now,
    ],
  );
  return row === undefined ? undefined : toWebsetSearch(row);
}

/** A search by its id, whoever's; for its jobs. */
export async function findWebsetSearch(db: Queryable, id: string): Promise<WebsetSearch | undefined> {
  const [row] = await db.query<WebsetSearchRow>(`SELECT ${WEBSET_SEARCH_COLUMNS} FROM webset_searches WHERE id = $1`, [
    id,
  ]);
  return row === undefined ? undefined : toWebsetSearch(row);
}

/** A search of a webset; throws `not_found`. */
export async function getWebsetSearch(db: Queryable, websetId: string, id: string): Promise<WebsetSearch> {
  const search = await findWebsetSearch(db, id);
  if (search?.websetId !== websetId) throw new AppError("not_found", "Search not found");
  return search;
}

/** A webset's searches, in the order in which they run. */
export async function listWebsetSearches(db: Queryable, websetId: string): Promise<readonly WebsetSearch[]> {
  const rows = await db.query<WebsetSearchRow>(
    `SELECT ${WEBSET_SEARCH_COLUMNS} FROM webset_searches WHERE webset_id = $1 ORDER BY sequence`,
    [websetId],
  );
  return rows.map(toWebsetSearch);
}

/** Moves a search; undefined when its status does not allow it. The caller holds the webset's lock. */
export async function moveWebsetSearchBy(
  tx: Transaction,
  id: string,
  change: {
    readonly move: WebsetSearchMove;
    readonly canceledReason?: "webset_deleted" | "webset_canceled" | null;
    readonly endReason?: string;
    readonly endMessage?: string | undefined;
    readonly recall?: Json;
    readonly now: Date;
  },
): Promise<WebsetSearch | undefined> {
  const search = await findWebsetSearch(tx, id);
  const status = search === undefined ? undefined : moveWebsetSearch(search.status, change.move);
  if (status === undefined) return undefined;
  const [row] = await tx.query<WebsetSearchRow>(
    `UPDATE webset_searches SET status = $2::text, canceled_reason = $3, end_reason = $4, recall = coalesce($5::jsonb, recall),
       canceled_at = CASE WHEN $2::text = 'canceled' THEN $6::timestamptz END,
       started_at = CASE WHEN $2::text = 'running' THEN $6::timestamptz ELSE started_at END,
       finished_at = CASE WHEN $2::text IN ('completed', 'canceled') THEN $6::timestamptz END,
       end_message = $7, updated_at = $6::timestamptz
     WHERE id = $1 RETURNING ${WEBSET_SEARCH_COLUMNS}`,
    [
      id,
      status,
      change.canceledReason ?? null,
      change.endReason ?? null,
      change.recall === undefined || change.recall === null ? null : toJsonb(change.recall),
      change.now,
      change.endMessage ?? null,
    ],
  );
  return row === undefined ? undefined : toWebsetSearch(row);
}

/** What one unit adds to a search. */
export interface SearchProgress {
  /** Once, when the query was understood. */
  readonly understood?: {
    readonly entity: Json;
    readonly criteria: readonly { readonly description: string }[];
  };
  readonly plan?: readonly Json[];
  readonly criteria?: readonly WebsetCriterion[];
  readonly step?: number;
  readonly addCandidates?: number;
  readonly addAnalyzed?: number;
  readonly addFound?: number;
}

/** Writes what a unit added; the caller holds the webset's lock. */
export async function advanceWebsetSearch(
  tx: Transaction,
  id: string,
  progress: SearchProgress,
  now: Date,
): Promise<WebsetSearch> {
  const { understood } = progress;
  const criteria =
    progress.criteria ?? understood?.criteria.map(({ description }) => ({ description, judged: 0, yes: 0 }));
  const [row] = await tx.query<WebsetSearchRow>(
    `UPDATE webset_searches SET entity = coalesce($2::jsonb, entity), criteria = coalesce($3::jsonb, criteria),
       plan = coalesce($4::jsonb, plan),
       step = coalesce($5::integer, step), candidates = candidates + $6::integer, analyzed = analyzed + $7::integer,
       found = found + $8::integer, updated_at = $9
     WHERE id = $1 RETURNING ${WEBSET_SEARCH_COLUMNS}`,
    [
      id,
      understood === undefined ? null : toJsonb(understood.entity),
      criteria === undefined ? null : toJsonb(asJson(criteria)),
      progress.plan === undefined ? null : toJsonb(progress.plan),
      progress.step ?? null,
      progress.addCandidates ?? 0,
      progress.addAnalyzed ?? 0,
      progress.addFound ?? 0,
      now,
    ],
  );
  if (row === undefined) throw new AppError("not_found", "Search not found");
  return toWebsetSearch(row);
}
