/**
 * What is judged differently: a question over a text, a claim over one sentence, a claim over a page; and where embeddings say
 * what is meant, a question again, and a claim over one sentence and over a few.
 */
export type ClaimRegime = "question" | "sentence" | "page" | "likenedQuestion" | "likenedSentence" | "likenedFew";

/** A linear model over the measures of a claim; made by tools/train-websets-verdicts.ts. */
export interface VerdictModel {
  readonly means: readonly number[];
  readonly deviations: readonly number[];
  /** Weights of yes, no and unclear, the constant last. */
  readonly weights: readonly (readonly number[])[];
  /** Weights of yes, no and unclear over the vector that is measured, where embeddings count. */
  readonly vectorWeights?: readonly (readonly number[])[];
  /** Bars for a yes that is nearly always right: what is doubtful stays unclear or no. */
  readonly strict: VerdictBars;
  /** Bars that treat yes, no and unclear alike. */
  readonly balanced: VerdictBars;
}

/** From `yesFrom` on it is a yes; else from `noFrom` on a no; else it is unclear. */
export interface VerdictBars {
  readonly yesFrom: number;
  readonly noFrom: number;
}
