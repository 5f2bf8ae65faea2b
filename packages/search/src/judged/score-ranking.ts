/** How deep a ranking is looked at. */
export const JUDGED_DEPTH = 10;

/**
 * How good a ranking is, from 0 to 1, by the grades of the pages that are good: normalised discounted cumulative gain over the
 * first ten (linear gains, as trec_eval counts), and one by the place of the first good page.
 */
export function scoreRanking(
  ranked: readonly string[],
  grades: ReadonlyMap<string, number>,
): { readonly ndcg: number; readonly reciprocalRank: number } {
  const gains = ranked.slice(0, JUDGED_DEPTH).map((url) => grades.get(url) ?? 0);
  const ideal = [...grades.values()].sort((one, other) => other - one).slice(0, JUDGED_DEPTH);
  const best = discount(ideal);
  const first = gains.findIndex((gain) => gain > 0);
  return {
    ndcg: best === 0 ? 0 : discount(gains) / best,
    reciprocalRank: first === -1 ? 0 : 1 / (first + 1),
  };
}

function discount(gains: readonly number[]): number {
  return gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
}
