import { isUrl } from "@quarry/base";
import { JUDGED_DEPTH, scoreRanking } from "./score-ranking.ts";

/** The ways of searching that are compared. `deep` is left out: it takes seconds a query. */
export const JUDGED_TYPES = ["keyword", "fast", "neural", "auto"] as const;

/** One of them. */
export type JudgedType = (typeof JUDGED_TYPES)[number];

/** A query, and how good some pages are for it. */
export interface QueryWithGrades {
  readonly query: string;
  readonly judgments: readonly { readonly url: string; readonly grade: number }[];
}

/** Asks the index for the addresses of the best pages. */
export type AskForUrls = (
  wish: { readonly query: string; readonly type: JudgedType; readonly numResults: number },
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** Asks every query in every way, one after the other so that other searches are not held up, and tells the means of each way. */
export async function askJudgedQueries(
  ask: AskForUrls,
  queries: readonly QueryWithGrades[],
  signal: AbortSignal,
): Promise<readonly { readonly type: JudgedType; readonly ndcg: number; readonly mrr: number }[]> {
  const figures = [];
  for (const type of JUDGED_TYPES) {
    let [ndcg, mrr] = [0, 0];
    for (const { query, judgments } of queries) {
      signal.throwIfAborted();
      const ranked = await ask({ query, type, numResults: JUDGED_DEPTH }, signal);
      const score = scoreRanking(ranked.map(toKey), new Map(judgments.map(({ url, grade }) => [toKey(url), grade])));
      ndcg += score.ndcg / queries.length;
      mrr += score.reciprocalRank / queries.length;
    }
    figures.push({ type, ndcg: round(ndcg), mrr: round(mrr) });
  }
  return figures;
}

/** An address as it is compared: written one way, without its fragment. */
function toKey(url: string): string {
  if (!isUrl(url)) return url;
  const key = new URL(url);
  key.hash = "";
  return key.href;
}

function round(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
