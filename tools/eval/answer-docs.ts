import { findPages } from "@quarry/search";
import type { EvaluationRun } from "./evaluation.ts";
import type { Table } from "./print-table.ts";
import type { JudgedQuery, JudgedSet } from "./search-sets.ts";
import { EVAL_TEAM, openSearchWorld } from "./search-world.ts";

/** Published figures of the set are over the first three chunks. */
const FIRST = 3;
const DEPTH = 10;

interface DocsScore {
  readonly precision: number;
  readonly recall: number;
  readonly firstRank: number;
  readonly rank: number;
}

/** How well the pages an answer is made from are found in a documentation, as the set's authors count it. */
export async function scoreDocs(
  set: JudgedSet,
  { sample, progress }: Pick<EvaluationRun, "sample" | "progress">,
): Promise<Table> {
  const all = set.queries.test ?? [];
  const step = sample === undefined ? 1 : Math.max(1, Math.floor(all.length / sample));
  const queries = all.filter((_, index) => index % step === 0);
  // A quick look searches the chunks its questions need, and every so many of the others.
  const needed = new Set(queries.flatMap(({ relevant }) => [...relevant.keys()]));
  const documents = set.documents.filter(({ id }, index) => index % step === 0 || needed.has(id));
  const world = await openSearchWorld({ ...set, documents }, progress);
  const scores: DocsScore[] = [];
  try {
    for (const query of queries) {
      const wish = { teamIds: [EVAL_TEAM], query: query.text, plan: "auto", limit: DEPTH, filter: {} } as const;
      const { pages } = await findPages(world, wish, new AbortController().signal);
      scores.push(
        scoreOne(
          pages.map(({ url }) => url),
          query,
        ),
      );
    }
  } finally {
    await world.close();
  }
  const mean = (value: (score: DocsScore) => number): number =>
    scores.reduce((sum, score) => sum + value(score), 0) / Math.max(1, scores.length);
  const [precision, recall] = [mean((score) => score.precision), mean((score) => score.recall)];
  return {
    title:
      "anthropic-docs-rag: retrieval (published at 3, P/R/F1/MRR: BM25 .380/.608/.468/.748, voyage-2 .428/.659/.519/.737, with summaries .453/.714/.555/.773, with Claude re-ranking .437/.693/.536/.865)",
    columns: ["plan", "questions", "P@3", "R@3", "F1@3", "MRR@3", "MRR"],
    rows: [
      [
        "auto",
        scores.length,
        precision,
        recall,
        (2 * precision * recall) / Math.max(1e-9, precision + recall),
        mean((score) => score.firstRank),
        mean((score) => score.rank),
      ],
    ],
  };
}

function scoreOne(ranked: readonly string[], { relevant }: JudgedQuery): DocsScore {
  const right = ranked.slice(0, FIRST).filter((id) => relevant.has(id)).length;
  const place = ranked.findIndex((id) => relevant.has(id));
  const rank = place === -1 ? 0 : 1 / (place + 1);
  return {
    precision: right / FIRST,
    recall: right / Math.max(1, relevant.size),
    firstRank: place < FIRST ? rank : 0,
    rank,
  };
}
