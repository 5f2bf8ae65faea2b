import { inverseFrequency, type TermStatistics } from "@quarry/retrieval";

/** Words more common than this say nothing about what a page is about. */
const MIN_WEIGHT = 1;

/**
 * How much each page has in common with the best of them, 0 to 1: pages that answer a query are like one another, and a
 * page that is like the best answers deserves a better place than its words alone give it. `pages` are tokens, best
 * page first; the first `leaders` of them are the measure, each the less the further down, and none is its own.
 */
export function scoreFeedback(
  pages: readonly (readonly string[])[],
  leaders: number,
  statistics: TermStatistics,
): readonly number[] {
  const weights = new Map<string, number>();
  const weightOf = (token: string): number => {
    const known = weights.get(token);
    if (known !== undefined) return known;
    const weight = inverseFrequency(statistics, token);
    weights.set(token, weight);
    return weight;
  };
  const vectors = pages.map((tokens) => toUnitVector(tokens, weightOf));
  const centre = new Map<string, number>();
  const shares = vectors.slice(0, leaders).map((_, place) => 1 / (place + 2));
  for (const [place, share] of shares.entries()) {
    for (const [token, value] of vectors[place] ?? []) centre.set(token, (centre.get(token) ?? 0) + share * value);
  }
  const all = shares.reduce((sum, share) => sum + share, 0);
  return vectors.map((vector, place) => {
    let product = 0;
    for (const [token, value] of vector) product += value * (centre.get(token) ?? 0);
    const own = vector.size === 0 ? 0 : (shares[place] ?? 0); // a unit vector's product with itself is 1
    const others = all - (shares[place] ?? 0);
    return others <= 0 ? 0 : Math.max(0, (product - own) / others);
  });
}

/** Words with their weights, the whole of length 1; repeats count less and less. */
function toUnitVector(tokens: readonly string[], weightOf: (token: string) => number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const vector = new Map<string, number>();
  let squares = 0;
  for (const [token, count] of counts) {
    const weight = weightOf(token);
    if (weight <= MIN_WEIGHT) continue;
    const value = (1 + Math.log(count)) * weight;
    vector.set(token, value);
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  for (const [token, value] of vector) vector.set(token, value / length);
  return vector;
}
