import type { Candidate } from "../find/candidate.ts";
import { decisivenessOf, weigh, type FeatureWeights, type QuerySigns } from "./rank-model.ts";

/** A page with what is known of it in numbers, and its score so far. */
export interface FusedPage {
  readonly candidate: Candidate;
  /** Its score by words as a share of the best one's. */
  readonly words: number;
  /** Its score by words as a share of what the query could give at most: comparable over queries. */
  readonly wordShare: number;
  /** The cosine of its nearest chunk; where no vector is known, what pages like it have. */
  readonly meaning: number;
  readonly hasMeaning: boolean;
  readonly score: number;
}

/**
 * Weighs what words and vectors say of each page, best first. Both are numbers of the page itself, not places in a list,
 * so that a page that is far better in one way can win over many that are a little better in the other. Where lists
 * were completed, a page without a cosine is one whose vectors are not made yet: it is taken to be as near as its words
 * are good. Where they were not, it is further than all that were found.
 */
export function fuseCandidates(
  candidates: readonly Candidate[],
  context: {
    readonly idealWordScore: number;
    readonly isCompleted: boolean;
    /** For this query; see `signsOf`. */
    readonly weights: FeatureWeights;
  },
): readonly FusedPage[] {
  const bestWords = Math.max(...candidates.map(({ words }) => words?.score ?? 0), Number.MIN_VALUE);
  const cosines = candidates.flatMap(({ meaning }) => (meaning === undefined ? [] : [meaning.score]));
  const { idealWordScore, isCompleted, weights } = context;
  const typical = isCompleted ? meanOf(cosines) : cosines.reduce((least, cosine) => Math.min(least, cosine), 1);
  const best = isCompleted ? Math.max(typical, ...cosines) : typical;
  return candidates
    .map((candidate) => {
      const words = (candidate.words?.score ?? 0) / bestWords;
      const meaning = candidate.meaning?.score ?? (cosines.length === 0 ? 0 : typical + (best - typical) * words);
      return {
        candidate,
        words,
        wordShare: idealWordScore === 0 ? 0 : Math.min(1, (candidate.words?.score ?? 0) / idealWordScore),
        meaning,
        hasMeaning: candidate.meaning !== undefined,
        score: weigh({ words, meaning }, weights),
      };
    })
    .sort((one, other) => other.score - one.score || compareUrls(one.candidate, other.candidate));
}

/** What the pages found tell about the query. */
export function signsOf(candidates: readonly Candidate[], idealWordScore: number): QuerySigns {
  const cosines = candidates.flatMap(({ meaning }) => (meaning === undefined ? [] : [meaning.score]));
  const scores = candidates.flatMap(({ words }) => (words === undefined ? [] : [words.score]));
  const best = Math.max(...scores, Number.MIN_VALUE);
  return {
    bestCosine: cosines.length === 0 ? undefined : Math.max(...cosines),
    decisiveness: decisivenessOf(
      scores.map((score) => score / best),
      idealWordScore === 0 || scores.length === 0 ? 0 : Math.min(1, best / idealWordScore),
    ),
  };
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Equal scores keep one order whatever the order of arrival. */
function compareUrls(one: Candidate, other: Candidate): number {
  return one.facts.url < other.facts.url ? -1 : 1;
}
