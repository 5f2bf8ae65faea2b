import { AppError } from "@quarry/base";
import type { Database, Queryable } from "./database.ts";
import { toJsonb } from "./jsonb.ts";

/** A page that is a good result, and how good: 1 is of use, 3 is what was asked for. */
export interface Judgment {
  readonly url: string;
  readonly grade: number;
}

/** A query whose good results are known. */
export interface JudgedQuery {
  readonly id: string;
  readonly query: string;
  readonly judgments: readonly Judgment[];
  readonly updatedAt: Date;
}

/** What one way of searching reached over all judged queries: means from 0 to 1. */
export interface JudgedFigures {
  readonly type: string;
  readonly ndcg: number;
  readonly mrr: number;
}

/** One round of asking them all. */
export interface JudgedRun {
  readonly queries: number;
  readonly figures: readonly JudgedFigures[];
  readonly ranAt: Date;
}

interface JudgedQueryRow {
  readonly id: string;
  readonly query: string;
  readonly judgments: readonly Judgment[];
  readonly updated_at: Date;
}

/**
 * Keeps a query with its judgments; the same query again replaces them and keeps its id. Throws `invalid_request` when the
 * team has `maxQueries` others.
 */
export function saveJudgedQuery(
  db: Database,
  teamId: string,
  wish: Omit<JudgedQuery, "updatedAt"> & { readonly maxQueries: number },
  now: Date,
): Promise<JudgedQuery> {
  return db.transaction(async (tx) => {
    await tx.query("SELECT 1 FROM teams WHERE id = $1 FOR UPDATE", [teamId]); // two at once must not pass the limit
    const [row] = await tx.query<JudgedQueryRow>(
      `INSERT INTO judged_queries (id, team_id, query, judgments, updated_at)
       SELECT $1, $2, $3, $4, $5
       WHERE (SELECT count(*) FROM judged_queries WHERE team_id = $2 AND query <> $3) < $6
       ON CONFLICT (team_id, query) DO UPDATE SET judgments = excluded.judgments, updated_at = excluded.updated_at
       RETURNING id, query, judgments, updated_at`,
      [wish.id, teamId, wish.query, toJsonb(wish.judgments.map((one) => ({ ...one }))), now, wish.maxQueries],
    );
    if (row === undefined) {
      throw new AppError("invalid_request", `query: a team has at most ${wish.maxQueries} judged queries; delete one`, {
        details: { field: "query" },
      });
    }
    return toJudgedQuery(row);
  });
}

/** A team's judged queries, by their words. */
export async function listJudgedQueries(db: Queryable, teamId: string): Promise<readonly JudgedQuery[]> {
  const rows = await db.query<JudgedQueryRow>(
    "SELECT id, query, judgments, updated_at FROM judged_queries WHERE team_id = $1 ORDER BY query",
    [teamId],
  );
  return rows.map(toJudgedQuery);
}

/** Forgets one. Throws `not_found` when the team has none of that id. */
export async function deleteJudgedQuery(db: Queryable, teamId: string, id: string): Promise<JudgedQuery> {
  const [row] = await db.query<JudgedQueryRow>(
    "DELETE FROM judged_queries WHERE team_id = $1 AND id = $2 RETURNING id, query, judgments, updated_at",
    [teamId, id],
  );
  if (row === undefined) throw new AppError("not_found", "Judged query not found");
  return toJudgedQuery(row);
}

/** Keeps what a round measured. */
export async function recordJudgedRun(db: Queryable, teamId: string, run: JudgedRun): Promise<void> {
  await db.query("INSERT INTO judged_runs (team_id, queries, figures, ran_at) VALUES ($1, $2, $3, $4)", [
    teamId,
    run.queries,
    toJsonb(run.figures.map((one) => ({ ...one }))),
    run.ranAt,
  ]);
}

/** A team's latest rounds, newest first. */
export async function listJudgedRuns(db: Queryable, teamId: string, limit: number): Promise<readonly JudgedRun[]> {
  const rows = await db.query<{ queries: number; figures: readonly JudgedFigures[]; ran_at: Date }>(
    "SELECT queries, figures, ran_at FROM judged_runs WHERE team_id = $1 ORDER BY id DESC LIMIT $2",
    [teamId, limit],
  );
  return rows.map(({ queries, figures, ran_at: ranAt }) => ({ queries, figures, ranAt }));
}

function toJudgedQuery({ updated_at: updatedAt, ...row }: JudgedQueryRow): JudgedQuery {
  return { ...row, updatedAt };
}
