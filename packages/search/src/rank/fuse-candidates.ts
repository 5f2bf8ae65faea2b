import type { Candidate } from "../find/candidate.ts";
import type { RankModel } from "./rank-model.ts";

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
 * so that a page that is far better in one way can win over many that are a little better in the other. What is not known
 * of a page (its vectors are not made yet, or nobody looked) is taken to be what an average page has, or, where the
 * lists were not completed, the least that any page on the list has.
 */
export function fuseCandidates(
  candidates: readonly Candidate[],
  context: {
    readonly idealWordScore: number;
    readonly isCompleted: boolean;
    readonly weights: RankModel["fusion"];
  },
): readonly FusedPage[] {
  const bestWords = Math.max(...candidates.map(({ words }) => words?.score ?? 0), Number.MIN_VALUE);
  const cosines = candidates.flatMap(({ meaning }) => (meaning === undefined ? [] : [meaning.score]));
  const { idealWordScore, isCompleted, weights } = context;
  const typical = isCompleted ? meanOf(cosines) : cosines.reduce((least, cosine) => Math.min(least, cosine), 1);
  return candidates
    .map((candidate) => {
      const words = (candidate.words?.score ?? 0) / bestWords;
      const meaning = candidate.meaning?.score ?? (cosines.length === 0 ? 0 : typical);
      return {
        candidate,
        words,
        wordShare: idealWordScore === 0 ? 0 : Math.min(1, (candidate.words?.score ?? 0) / idealWordScore),
        meaning,
        hasMeaning: candidate.meaning !== undefined,
        score: weights.words * words + weights.meaning * meaning,
      };
    })
    .sort((one, other) => other.score - one.score || compareUrls(one.candidate, other.candidate));
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Equal scores keep one order whatever the order of arrival. */
function compareUrls(one: Candidate, other: Candidate): number {
  return one.facts.url < other.facts.url ? -1 : 1;
}
