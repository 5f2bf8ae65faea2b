import type { Queryable, Transaction } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import type { WebsetEvaluation } from "./webset-item.ts";
import { asJson } from "./webset.ts";

/** How far a candidate has come; `skipped` when its search ended, or had no room for it. */
export type CandidateState = "open" | "passed" | "rejected" | "skipped";

/** An entity that a search found. */
export interface WebsetCandidate {
  readonly id: number;
  readonly searchId: string;
  readonly entityKey: string;
  /** Its shape is the websets room's. */
  readonly entity: Json;
  readonly itemId: string | null;
  readonly source: "search" | "import";
  readonly sourceId: string;
  readonly sourceEntityId: string | null;
  readonly scopeId: string | null;
  readonly seenIn: readonly number[];
  readonly state: CandidateState;
  readonly evaluations: readonly WebsetEvaluation[];
}

/** What a new candidate is made of. */
export type NewCandidate = Pick<
  WebsetCandidate,
  "entityKey" | "entity" | "itemId" | "source" | "sourceId" | "sourceEntityId" | "scopeId" | "seenIn"
>;

interface CandidateRow {
  readonly id: number;
  readonly search_id: string;
  readonly entity_key: string;
  readonly entity: Json;
  readonly item_id: string | null;
  readonly source: "search" | "import";
  readonly source_id: string;
  readonly source_entity_id: string | null;
  readonly scope_id: string | null;
  readonly seen_in: readonly number[];
  readonly state: CandidateState;
  readonly evaluations: readonly WebsetEvaluation[];
}

const COLUMNS = `id, search_id, entity_key, entity, item_id, source, source_id, source_entity_id, scope_id, seen_in, state,
  evaluations`;

/**
 * Adds candidates, each entity once a search: one that is there only notes which formulations found it, and, while it is
 * open, takes the new entity. Answers the ids of those that are new. The caller holds the webset's lock.
 */
export async function insertCandidates(
  tx: Transaction,
  searchId: string,
  candidates: readonly NewCandidate[],
): Promise<readonly number[]> {
  if (candidates.length === 0) return [];
  const rows = await tx.query<{ readonly id: number; readonly is_new: boolean }>(
    `INSERT INTO webset_candidates AS known (search_id, entity_key, entity, item_id, source, source_id, source_entity_id, scope_id,
       seen_in, state)
     SELECT $1, given ->> 'entityKey', given -> 'entity', given ->> 'itemId', given ->> 'source', given ->> 'sourceId',
       given ->> 'sourceEntityId', given ->> 'scopeId',
       ARRAY(SELECT value::integer FROM jsonb_array_elements_text(given -> 'seenIn')), 'open'
     FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS input (given, place) ORDER BY place
     ON CONFLICT (search_id, entity_key) DO UPDATE SET
       seen_in = ARRAY(SELECT DISTINCT unnest(known.seen_in || excluded.seen_in) ORDER BY 1),
       entity = CASE WHEN known.state = 'open' THEN excluded.entity ELSE known.entity END
     RETURNING id, (xmax = 0) AS is_new`,
    [searchId, toJsonb(candidates.map((candidate) => asJson(candidate)))],
  );
  return rows.filter(({ is_new }) => is_new).map(({ id }) => id);
}

/** A candidate by its number. */
export async function findCandidate(db: Queryable, id: number): Promise<WebsetCandidate | undefined> {
  const [row] = await db.query<CandidateRow>(`SELECT ${COLUMNS} FROM webset_candidates WHERE id = $1`, [id]);
  return row === undefined ? undefined : toCandidate(row);
}

/** The candidates of a search that go by one of these keys. */
export async function findCandidatesByKey(
  db: Queryable,
  searchId: string,
  keys: readonly string[],
): Promise<readonly WebsetCandidate[]> {
  const rows = await db.query<CandidateRow>(
    `SELECT ${COLUMNS} FROM webset_candidates WHERE search_id = $1 AND entity_key = ANY ($2) ORDER BY id`,
    [searchId, keys],
  );
  return rows.map(toCandidate);
}

/** What a person last said of an entity by a criterion, as the candidates of a webset's searches keep it. */
export async function findHumanVerdict(
  db: Queryable,
  of: { readonly websetId: string; readonly entityKey: string; readonly criterion: string },
): Promise<WebsetEvaluation | undefined> {
  const [row] = await db.query<{ readonly evaluation: WebsetEvaluation }>(
    `SELECT evaluation FROM webset_candidates AS candidate
       JOIN webset_searches AS search ON search.id = candidate.search_id
       CROSS JOIN jsonb_array_elements(candidate.evaluations) AS evaluation
     WHERE search.webset_id = $1 AND candidate.entity_key = $2
       AND evaluation ->> 'criterion' = $3 AND evaluation -> 'human' IS NOT NULL
     ORDER BY evaluation -> 'human' ->> 'at' DESC LIMIT 1`,
    [of.websetId, of.entityKey, of.criterion],
  );
  return row?.evaluation;
}

/** The numbers of a search's candidates that are not decided. */
export async function listOpenCandidates(
  db: Queryable,
  searchId: string,
): Promise<readonly { readonly id: number; readonly judged: number }[]> {
  return db.query<{ readonly id: number; readonly judged: number }>(
    `SELECT id, jsonb_array_length(evaluations) AS judged FROM webset_candidates
     WHERE search_id = $1 AND state = 'open' ORDER BY id`,
    [searchId],
  );
}

/** The candidates of a webset's searches that did not meet a criterion, the latest found first. */
export async function listRejectedCandidates(
  db: Queryable,
  websetId: string,
  limit: number,
): Promise<readonly WebsetCandidate[]> {
  const rows = await db.query<CandidateRow>(
    `SELECT ${COLUMNS} FROM webset_candidates
     WHERE search_id IN (SELECT id FROM webset_searches WHERE webset_id = $1) AND state = 'rejected'
     ORDER BY id DESC LIMIT $2`,
    [websetId, limit],
  );
  return rows.map(toCandidate);
}

/** Writes verdicts and state of a candidate; the caller holds the webset's lock. */
export async function judgeCandidate(
  tx: Transaction,
  id: number,
  change: { readonly state: CandidateState; readonly evaluations: readonly WebsetEvaluation[] },
): Promise<void> {
  await tx.query("UPDATE webset_candidates SET state = $2, evaluations = $3 WHERE id = $1", [
    id,
    change.state,
    toJsonb(asJson(change.evaluations)),
  ]);
}

/** Leaves the open candidates of a search that ended; answers how many there were. */
export async function skipOpenCandidates(tx: Transaction, searchId: string): Promise<number> {
  const rows = await tx.query(
    "UPDATE webset_candidates SET state = 'skipped' WHERE search_id = $1 AND state = 'open' RETURNING 1",
    [searchId],
  );
  return rows.length;
}

/** Per formulation, the keys of the entities that passed: what the recall estimate is made from. */
export async function listCaptures(db: Queryable, searchId: string): Promise<readonly (readonly string[])[]> {
  const rows = await db.query<{ readonly formulation: number; readonly keys: readonly string[] }>(
    `SELECT formulation, array_agg(entity_key ORDER BY entity_key) AS keys
     FROM webset_candidates CROSS JOIN unnest(seen_in) AS formulation
     WHERE search_id = $1 AND state = 'passed' GROUP BY formulation ORDER BY formulation`,
    [searchId],
  );
  return rows.map(({ keys }) => keys);
}

/** How many candidates that came from one source entity have passed. */
export async function countPassedOfSource(
  db: Queryable,
  searchId: string,
  source: { readonly scopeId: string; readonly sourceEntityId: string },
): Promise<number> {
  const [row] = await db.query<{ readonly count: number }>(
    `SELECT count(*) AS count FROM webset_candidates
     WHERE search_id = $1 AND state = 'passed' AND scope_id = $2 AND source_entity_id = $3`,
    [searchId, source.scopeId, source.sourceEntityId],
  );
  return row?.count ?? 0;
}

function toCandidate(row: CandidateRow): WebsetCandidate {
  return {
    id: row.id,
    searchId: row.search_id,
    entityKey: row.entity_key,
    entity: row.entity,
    itemId: row.item_id,
    source: row.source,
    sourceId: row.source_id,
    sourceEntityId: row.source_entity_id,
    scopeId: row.scope_id,
    seenIn: row.seen_in,
    state: row.state,
    evaluations: row.evaluations,
  };
}
