import { AppError, type Clock } from "@quarry/base";
import { indexStatsSchema, indexTaskParamsSchema, indexTaskSchema } from "@quarry/contract";
import type { IndexStats as SearchIndexStats } from "@quarry/retrieval";
import {
  createIndexTask,
  findIndexTask,
  INDEX_TASK_KINDS,
  readIndexStats,
  type Database,
  type IndexTaskKind,
} from "@quarry/store";
import type { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { isOperator, requireOperator, type OperatorDeps } from "./operator.ts";

/** What the routes of the index itself need. */
export interface IndexAdminDeps extends OperatorDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** What the whole index holds; undefined while it is not open. */
  readonly searchIndexStats: () => Promise<SearchIndexStats | undefined>;
}

const tag = "Index";
/** Languages and hosts that are named. */
const MOST_NAMED = 20;

const SUMMARIES: Readonly<Record<IndexTaskKind, string>> = {
  optimize: "Compact the index and clean up behind it",
  verify: "Compare the index with the store and have every difference mended",
  rebuild: "Drop the index and fill it from the store; searches find what is there again",
};

/** The index: what is in it, and looking after it. */
export function indexAdminRoutes(deps: IndexAdminDeps): readonly Route[] {
  return [
    defineRoute({
      name: "getIndexStats",
      method: "GET",
      path: "/quarry/v1/index",
      tag,
      summary: "Count what the team's index holds, and what waits",
      access: "search",
      response: indexStatsSchema,
      handle: async (_, { caller }) => {
        const [stats, whole] = await Promise.all([
          readIndexStats(deps.db, caller.teamId, MOST_NAMED),
          isOperator(deps, caller) ? deps.searchIndexStats() : undefined,
        ]);
        return {
          ...stats,
          lastChangedAt: stats.lastChangedAt?.toISOString() ?? null,
          languages: [...stats.languages],
          hosts: [...stats.hosts],
          searchIndex: whole === undefined ? null : showWhole(whole),
        };
      },
    }),
    ...INDEX_TASK_KINDS.map((kind) =>
      defineRoute({
        name: `${kind}Index`,
        method: "POST",
        path: `/quarry/v1/index/${kind}`,
        tag,
        summary: SUMMARIES[kind],
        description:
          "Answers at once with a task; ask for it until it is done. The process that writes the index does it.",
        access: "admin",
        creates: true,
        response: indexTaskSchema,
        handle: async (_, { caller, newId }) => {
          requireOperator(deps, caller, "the index holds the pages of all teams");
          const id = newId("task");
          await createIndexTask(deps.db, { id, kind, now: deps.clock.now() });
          return showTask(deps.db, id);
        },
      }),
    ),
    defineRoute({
      name: "getIndexTask",
      method: "GET",
      path: "/quarry/v1/index/tasks/:id",
      tag,
      summary: "How a task does",
      access: "admin",
      params: indexTaskParamsSchema,
      response: indexTaskSchema,
      handle: ({ params }, { caller }) => {
        requireOperator(deps, caller, "the index holds the pages of all teams");
        return showTask(deps.db, params.id);
      },
    }),
  ];
}

async function showTask(db: Database, id: string): Promise<z.input<typeof indexTaskSchema>> {
  const task = await findIndexTask(db, id);
  if (task === undefined) throw new AppError("not_found", "there is no such task; finished ones are kept for 30 days");
  return {
    id,
    kind: task.kind,
    status: task.state,
    report: task.report as z.input<typeof indexTaskSchema>["report"],
    error: task.error,
    createdAt: task.createdAt.toISOString(),
    finishedAt: task.finishedAt?.toISOString() ?? null,
  };
}

function showWhole(stats: SearchIndexStats): NonNullable<z.input<typeof indexStatsSchema>["searchIndex"]> {
  const { format, model, pages, chunks, unindexedPages, unindexedChunks, pageTables, diskBytes, cacheBytes } = stats;
  return { format, model, pages, chunks, unindexedPages, unindexedChunks, pageTables, diskBytes, cacheBytes };
}
