/** The two constants of BM25, as the engine has them: how fast repeats stop counting, how much length counts. */
const K1 = 1.2;
const B = 0.75;

/** What BM25 must know of all pages. */
export interface TermStatistics {
  readonly pageCount: number;
  readonly averageLength: number;
  /** In how many pages a token is. */
  readonly pagesWith: (token: string) => number;
}

/** How telling a token is: 0 when every page has it. */
export function inverseFrequency(statistics: TermStatistics, token: string): number {
  const pages = Math.min(statistics.pagesWith(token), statistics.pageCount);
  return Math.log(1 + (statistics.pageCount - pages + 0.5) / (pages + 0.5));
}

/** What `count` occurrences of a token in a page of `length` tokens are worth, before the token's own weight. */
export function saturatedCount(count: number, length: number, averageLength: number): number {
  return ((K1 + 1) * count) / (count + K1 * (1 - B + (B * length) / Math.max(averageLength, 1)));
}
