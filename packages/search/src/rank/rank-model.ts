/** The weights of ranking; `gen/rank-model.ts` holds the ones that were learnt. */
export interface RankModel {
  /** Of words (as a share of the best page's score) and meaning (as a cosine), before texts are read. */
  readonly fusion: { readonly words: number; readonly meaning: number };
  /** The same and what the texts of the best pages say. */
  readonly rerank: Readonly<Record<RerankFeature, number>>;
  /** How likely a page is an answer at all: log-odds from its share of the ideal score by words, and its cosine. */
  readonly anchor: { readonly bias: number; readonly words: number; readonly meaning: number };
  /** How fast scores fall below the best page's: log-odds for each point of difference. */
  readonly steepness: number;
}

/** What re-ranking looks at. */
export type RerankFeature =
  | "words"
  | "meaning"
  | "feedback"
  | "cover"
  | "titleCover"
  | "adjacency"
  /** By the words of the best pages, which only the plan `deep` searches for. */
  | "expansion";

/** A probability from log-odds. */
export function toProbability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
