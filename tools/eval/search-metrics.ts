import { scoreRanking as scoreFirstTen } from "@quarry/search";
import type { JudgedQuery } from "./search-sets.ts";

/** The figures of one query, or the means over many. */
export interface SearchFigures {
  readonly ndcg10: number;
  readonly recall2: number;
  readonly recall100: number;
  readonly averagePrecision: number;
  readonly reciprocalRank: number;
}

/** Scores a ranked list of document ids (linear gains, as trec_eval). */
export function scoreRanking(ranked: readonly string[], { relevant }: JudgedQuery): SearchFigures {
  const gains = ranked.map((id) => relevant.get(id) ?? 0);
  let [found, precisions] = [0, 0];
  for (const [place, gain] of gains.entries()) {
    if (gain === 0) continue;
    found += 1;
    precisions += found / (place + 1);
  }
  const hits = (depth: number): number => gains.slice(0, depth).filter((gain) => gain > 0).length;
  const first = gains.findIndex((gain) => gain > 0);
  return {
    ndcg10: scoreFirstTen(ranked, relevant).ndcg,
    recall2: hits(2) / Math.min(2, Math.max(1, relevant.size)),
    recall100: hits(100) / Math.max(1, relevant.size),
    averagePrecision: precisions / Math.max(1, relevant.size),
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
  };
}

/** The means over queries. */
export function meanFigures(all: readonly SearchFigures[]): SearchFigures {
  const mean = (pick: (figures: SearchFigures) => number): number =>
    all.reduce((sum, figures) => sum + pick(figures), 0) / Math.max(1, all.length);
  return {
    ndcg10: mean(({ ndcg10 }) => ndcg10),
    recall2: mean(({ recall2 }) => recall2),
    recall100: mean(({ recall100 }) => recall100),
    averagePrecision: mean(({ averagePrecision }) => averagePrecision),
    reciprocalRank: mean(({ reciprocalRank }) => reciprocalRank),
  };
}
