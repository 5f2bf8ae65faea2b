/** What of a text is scored in the context it stands in. */
export interface ContextScoring {
  /** For each sentence, the places of the query's words that it has. */
  readonly found: readonly (readonly number[])[];
  /** How telling each of the query's words is. */
  readonly weights: readonly number[];
  /** For each sentence, the number of the part it lies in, and where in it, 0 to 1; undefined outside of all parts. */
  readonly partOf: readonly ({ readonly part: number; readonly at: number } | undefined)[];
  /** How near each part is in meaning, 0 to 1; empty when that is not known. */
  readonly meanings: readonly number[];
}

/** Sentences on either side that count as near, and as around. Learnt, like the shares, on half of a judged set. */
const NEAR_SENTENCES = 3;
const AROUND_SENTENCES = 12;
const SHARES = { own: 0.1, near: 0.5, around: 0.2, part: 0.2 } as const;
const MEANING_SHARE = 0.35;
/** How much a sentence at the edge of a part has of the next part's meaning. */
const EDGE_SHARE = 0.5;

/**
 * Scores sentences by the passage they stand in, 0 to 1: where much of a page is shown, what counts is that the passage
 * is about the query, not that each sentence repeats its words.
 */
export function scoreInContext(scoring: ContextScoring): readonly number[] {
  const { found, weights, partOf, meanings } = scoring;
  const own = coverAround(found, weights, 0);
  const near = coverAround(found, weights, NEAR_SENTENCES);
  const around = coverAround(found, weights, AROUND_SENTENCES);
  const ofParts = coverOfParts(scoring);
  return found.map((_, place) => {
    const where = partOf[place];
    const part = where === undefined ? (around[place] ?? 0) : (ofParts.get(where.part) ?? 0);
    const words =
      SHARES.own * (own[place] ?? 0) +
      SHARES.near * (near[place] ?? 0) +
      SHARES.around * (around[place] ?? 0) +
      SHARES.part * part;
    if (meanings.length === 0) return words;
    return (1 - MEANING_SHARE) * words + MEANING_SHARE * (where === undefined ? 0 : meaningAt(meanings, where));
  });
}

/** Between the middles of two parts, a sentence has something of both. */
function meaningAt(meanings: readonly number[], { part, at }: { readonly part: number; readonly at: number }): number {
  const own = meanings[part] ?? 0;
  const next = meanings[part + (at < 0.5 ? -1 : 1)] ?? own;
  const share = EDGE_SHARE * Math.abs(at - 0.5);
  return (1 - share) * own + share * next;
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

function coverOfParts({ found, weights, partOf }: ContextScoring): ReadonlyMap<number, number> {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const words = new Map<number, Set<number>>();
  for (const [place, where] of partOf.entries()) {
    if (where === undefined) continue;
    const known = words.get(where.part) ?? new Set();
    for (const word of found[place] ?? []) known.add(word);
    words.set(where.part, known);
  }
  const shareOf = (set: ReadonlySet<number>): number =>
    all === 0 ? 0 : [...set].reduce((sum, word) => sum + (weights[word] ?? 0), 0) / all;
  return new Map(Array.from(words, ([part, set]) => [part, shareOf(set)]));
}
