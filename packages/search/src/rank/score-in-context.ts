import type { TextRange } from "@quarry/retrieval";

/** What of a text is scored in the context it stands in. */
export interface ContextScoring {
  readonly sentences: readonly TextRange[];
  /** For each sentence, the places of the query's words that it has. */
  readonly found: readonly (readonly number[])[];
  /** How telling each of the query's words is. */
  readonly weights: readonly number[];
  /** How near each sentence is in meaning, 0 to 1; undefined when that is not known. */
  readonly meanings: readonly number[] | undefined;
}

/** Sentences on either side that count as beside, as near, and as around. Learnt, like the shares, on half of a judged set. */
const BESIDE_SENTENCES = 1;
const NEAR_SENTENCES = 3;
const AROUND_SENTENCES = 12;
const SHARES = { own: 0.15, beside: 0.2, near: 0.3, around: 0.25, part: 0.1 } as const;
/** The text is cut into parts of up to this many characters, about a section's. */
const PART_CHARACTERS = 1_600;
/** Little: a search tells of a page's nearest chunk alone, and the answer is often in another. */
const MEANING_SHARE = 0.1;

/**
 * Scores sentences by the passage they stand in, 0 to 1: where much of a page is shown, what counts is that the passage
 * is about the query, not that each sentence repeats its words.
 */
export function scoreInContext(scoring: ContextScoring): readonly number[] {
  const { found, weights, meanings } = scoring;
  const own = coverAround(found, weights, 0);
  const beside = coverAround(found, weights, BESIDE_SENTENCES);
  const near = coverAround(found, weights, NEAR_SENTENCES);
  const around = coverAround(found, weights, AROUND_SENTENCES);
  const part = coverOfParts(scoring);
  return found.map((_, place) => {
    const words =
      SHARES.own * (own[place] ?? 0) +
      SHARES.beside * (beside[place] ?? 0) +
      SHARES.near * (near[place] ?? 0) +
      SHARES.around * (around[place] ?? 0) +
      SHARES.part * (part[place] ?? 0);
    return meanings === undefined ? words : (1 - MEANING_SHARE) * words + MEANING_SHARE * (meanings[place] ?? 0);
  });
}

/** The share of the words' weight that the sentences up to `reach` away have together, for each sentence. */
function coverAround(found: readonly (readonly number[])[], weights: readonly number[], reach: number): Float64Array {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const counts = new Uint32Array(weights.length);
  const cover = new Float64Array(found.length);
  if (all === 0) return cover;
  let sum = 0;
  const change = (place: number, by: 1 | -1): void => {
    for (const word of found[place] ?? []) {
      const before = counts[word] ?? 0;
      counts[word] = before + by;
      if (before + by === 0 || before === 0) sum += by * (weights[word] ?? 0);
    }
  };
  for (let place = 0; place < Math.min(reach, found.length); place += 1) change(place, 1);
  for (let place = 0; place < found.length; place += 1) {
    change(place + reach, 1);
    change(place - reach - 1, -1);
    cover[place] = Math.min(1, Math.max(0, sum / all));
  }
  return cover;
}

/** The share of the words' weight that a sentence's part of the text has, for each sentence. */
function coverOfParts({ sentences, found, weights }: ContextScoring): Float64Array {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const cover = new Float64Array(sentences.length);
  for (let first = 0; first < sentences.length;) {
    const from = sentences[first]?.start ?? 0;
    let behind = first + 1;
    while (behind < sentences.length && (sentences[behind]?.end ?? 0) - from <= PART_CHARACTERS) behind += 1;
    const words = new Set(found.slice(first, behind).flat());
    const sum = [...words].reduce((total, word) => total + (weights[word] ?? 0), 0);
    cover.fill(all === 0 ? 0 : sum / all, first, behind);
    first = behind;
  }
  return cover;
}
