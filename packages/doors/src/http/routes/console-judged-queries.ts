import { AppError, makeId, type Clock } from "@quarry/base";
import { judgedQuerySchema, judgedRunSchema, saveJudgedQuerySchema, searchSchema } from "@quarry/contract";
import { askJudgedQueries, search, type SearchDeps } from "@quarry/search";
import {
  deleteJudgedQuery,
  listJudgedQueries,
  listJudgedRuns,
  recordJudgedRun,
  saveJudgedQuery,
  type Database,
  type JudgedQuery,
  type JudgedRun,
} from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { teamsOf } from "./search-deps.ts";

/** What these routes need. */
export interface JudgedQueryRoutesDeps {
  readonly db: Database;
  readonly search: SearchDeps;
  readonly clock: Clock;
}

/** Judged queries that a team may have: a round asks each of them in every way while its caller waits. */
const MAX_QUERIES = 100;
/** Rounds that are shown. */
const MAX_RUNS = 100;
const PATH = "/quarry/v1/judged-queries";
const shared = { tag: "Index" } as const;

/** The index lab: queries whose good results are known, and how well each way of searching finds them, over time. */
export function judgedQueryRoutes({ db, search: deps, clock }: JudgedQueryRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      access: "search",
      name: "listJudgedQueries",
      method: "GET",
      path: PATH,
      summary: "List the queries whose good results are known",
      response: z.object({ data: z.array(judgedQuerySchema) }),
      handle: async (_, { caller }) => ({ data: (await listJudgedQueries(db, caller.teamId)).map(showQuery) }),
    }),
    defineRoute({
      ...shared,
      access: "index",
      name: "saveJudgedQuery",
      method: "PUT",
      path: PATH,
      summary: "Say which pages are good for a query; the same query again replaces what was said",
      body: saveJudgedQuerySchema,
      response: judgedQuerySchema,
      handle: async ({ body }, { caller }) => {
        const wish = { ...body, id: makeId("judged"), maxQueries: MAX_QUERIES };
        return showQuery(await saveJudgedQuery(db, caller.teamId, wish, clock.now()));
      },
    }),
    defineRoute({
      ...shared,
      access: "index",
      name: "deleteJudgedQuery",
      method: "DELETE",
      path: `${PATH}/:id`,
      summary: "Forget a judged query; answers what it was",
      params: z.object({ id: z.string().min(1) }),
      response: judgedQuerySchema,
      handle: async ({ params: { id } }, { caller }) => showQuery(await deleteJudgedQuery(db, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      access: "search",
      name: "listJudgedRuns",
      method: "GET",
      path: `${PATH}/runs`,
      summary: "List what rounds of the judged queries measured, newest first",
      response: z.object({ data: z.array(judgedRunSchema) }),
      handle: async (_, { caller }) => ({ data: (await listJudgedRuns(db, caller.teamId, MAX_RUNS)).map(showRun) }),
    }),
    defineRoute({
      ...shared,
      access: "index",
      name: "runJudgedQueries",
      method: "POST",
      path: `${PATH}/runs`,
      summary: "Ask every judged query in every way, and keep how well each did",
      response: judgedRunSchema,
      handle: async (_, { caller, signal }) => {
        const queries = await listJudgedQueries(db, caller.teamId);
        if (queries.length === 0) {
          throw new AppError("invalid_request", `there is no judged query: save one first with PUT ${PATH}`);
        }
        const teamIds = teamsOf(caller);
        const figures = await askJudgedQueries(
          async (wish, during) => {
            const { results } = await search(deps, { teamIds, body: searchSchema.parse(wish) }, during);
            return results.map(({ url }) => url);
          },
          queries,
          signal,
        );
        const run = { queries: queries.length, figures, ranAt: clock.now() };
        await recordJudgedRun(db, caller.teamId, run);
        return showRun(run);
      },
    }),
  ];
}

function showQuery({ id, query, judgments, updatedAt }: JudgedQuery): z.output<typeof judgedQuerySchema> {
  return { id, query, judgments: judgments.map((one) => ({ ...one })), updatedAt: updatedAt.toISOString() };
}

function showRun({ queries, figures, ranAt }: JudgedRun): z.output<typeof judgedRunSchema> {
  return { ranAt: ranAt.toISOString(), queries, figures: figures.map((one) => ({ ...one })) };
}
