import { findPages, type SearchPlan } from "@quarry/search";
import type { Evaluation, EvaluationRun } from "./evaluation.ts";
import type { Table } from "./print-table.ts";
import { evaluateHighlights } from "./search-highlights.ts";
import { meanFigures, scoreRanking, type SearchFigures } from "./search-metrics.ts";
import { readSearchSet, SEARCH_SETS, type JudgedQuery, type JudgedSet } from "./search-sets.ts";
import { checkTargets, type RankedSet } from "./search-targets.ts";
import { EVAL_TEAM, openSearchWorld, type SearchWorld } from "./search-world.ts";

const PLANS: readonly SearchPlan[] = ["keyword", "neural", "fast", "auto", "deep"];
const DEPTH = 100;

/** How well each plan ranks, per judged set, beside what others reached. */
export const searchEvaluation: Evaluation = {
  name: "search",
  run: async ({ dataDir, sample, progress }) => {
    const tables: Table[] = [];
    const figures: Record<string, unknown> = {};
    const skipped: string[] = [];
    const ranked: RankedSet[] = [];
    let highlights: Table | undefined;
    const only = process.env["SEARCH_SETS"]?.split(",");
    for (const name of SEARCH_SETS) {
      if (only !== undefined && !only.includes(name)) continue;
      const set = readSearchSet(dataDir, name);
      if (set === undefined) {
        skipped.push(name);
        continue;
      }
      const world = await openSearchWorld(set, progress);
      try {
        const table = await evaluateSet(world, set, { sample, progress });
        tables.push(table);
        figures[name] = table;
        ranked.push({ name, measure: set.measure, table });
      } finally {
        await world.close();
      }
    }
    if (only === undefined || only.includes("chunking-eval")) {
      highlights = await evaluateHighlights(dataDir, sample, progress);
      if (highlights === undefined) skipped.push("chunking-eval");
      else tables.push(highlights);
      figures["chunking-eval"] = highlights;
    }
    tables.push(checkTargets(ranked, highlights));
    return { tables, figures, skipped };
  },
};

/** How well plans rank one set; a row for each plan. */
export async function evaluateSet(
  world: SearchWorld,
  set: JudgedSet,
  {
    sample,
    progress,
    plans = PLANS,
  }: Pick<EvaluationRun, "sample" | "progress"> & { readonly plans?: readonly SearchPlan[] },
): Promise<Table> {
  const all = set.queries.test ?? [];
  const step = sample === undefined ? 1 : Math.max(1, Math.floor(all.length / sample));
  const queries = all.filter((_, index) => index % step === 0);
  const ids = new Map(set.documents.map(({ id, url }) => [url, id]));
  const rows: (string | number)[][] = [];
  for (const plan of plans) {
    const began = performance.now();
    const results: SearchFigures[] = [];
    for (const query of queries) results.push(await askOne(world, ids, query, plan));
    const ms = (performance.now() - began) / queries.length;
    const { ndcg10, recall2, recall100, averagePrecision, reciprocalRank } = meanFigures(results);
    progress(`${set.name}, ${plan}: nDCG@10 ${ndcg10.toFixed(3)}, MRR ${reciprocalRank.toFixed(3)}`);
    rows.push([plan, queries.length, ndcg10, recall100, averagePrecision, reciprocalRank, recall2, ms]);
  }
  return {
    title: `${set.name} (${set.measure}; published: ${set.published})`,
    columns: ["plan", "queries", "nDCG@10", "R@100", "MAP", "MRR", "R@2", "ms"],
    rows,
  };
}

async function askOne(
  world: SearchWorld,
  ids: ReadonlyMap<string, string>,
  query: JudgedQuery,
  plan: SearchPlan,
): Promise<SearchFigures> {
  const { pages } = await findPages(
    world,
    { teamIds: [EVAL_TEAM], query: query.text, plan, limit: DEPTH, filter: {} },
    new AbortController().signal,
  );
  return scoreRanking(
    pages.map(({ url }) => ids.get(url) ?? url),
    query,
  );
}
