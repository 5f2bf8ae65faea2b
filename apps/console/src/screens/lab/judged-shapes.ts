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
  readonly updatedAt: string;
}

/** What a round of all judged queries measured, by the way of searching. */
export interface JudgedRun {
  readonly ranAt: string;
  readonly queries: number;
  readonly figures: readonly { readonly type: string; readonly ndcg: number; readonly mrr: number }[];
}
