import type { PageTokens } from "./token-memory.ts";

/** Words more common than this say nothing about what a page is about. */
const MIN_WEIGHT = 1;

/**
 * How much each page has in common with the best of them, 0 to 1: pages that answer a query are like one another, and a
 * page that is like the best answers deserves a better place than its words alone give it. `pages` come best first; the
 * first `leaders` of them are the measure, each the less the further down, and none is its own.
 */
export function scoreFeedback(
  pages: readonly Pick<PageTokens, "distinct" | "counts">[],
  leaders: number,
  weightOf: (number: number) => number,
): readonly number[] {
  const vectors = pages.map((page) => toUnitVector(page, weightOf));
  const centre = new Map<number, number>();
  const shares = pages.slice(0, leaders).map((_, place) => 1 / (place + 2));
  for (const [place, share] of shares.entries()) {
    const { numbers, values } = vectors[place] ?? NO_VECTOR;
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0;
      centre.set(number, (centre.get(number) ?? 0) + share * (values[at] ?? 0));
    }
  }
  const all = shares.reduce((sum, share) => sum + share, 0);
  return vectors.map(({ numbers, values, isEmpty }, place) => {
    let product = 0;
    for (let at = 0; at < numbers.length; at += 1) {
      const value = values[at] ?? 0;
      if (value !== 0) product += value * (centre.get(numbers[at] ?? 0) ?? 0);
    }
    const own = isEmpty ? 0 : (shares[place] ?? 0); // a unit vector's product with itself is 1
    const others = all - (shares[place] ?? 0);
    return others <= 0 ? 0 : Math.max(0, (product - own) / others);
  });
}

interface UnitVector {
  readonly numbers: Uint32Array;
  /** 0 for words that say nothing. */
  readonly values: Float64Array;
  readonly isEmpty: boolean;
}

const NO_VECTOR: UnitVector = { numbers: new Uint32Array(0), values: new Float64Array(0), isEmpty: true };

/** Words with their weights, the whole of length 1; repeats count less and less. */
function toUnitVector(
  { distinct, counts }: Pick<PageTokens, "distinct" | "counts">,
  weightOf: (number: number) => number,
): UnitVector {
  const values = new Float64Array(distinct.length);
  let squares = 0;
  for (let at = 0; at < distinct.length; at += 1) {
    const weight = weightOf(distinct[at] ?? 0);
    if (weight <= MIN_WEIGHT) continue;
    const value = (1 + Math.log(counts[at] ?? 1)) * weight;
    values[at] = value;
    squares += value * value;
  }
  if (squares === 0) return { ...NO_VECTOR };
  const length = Math.sqrt(squares);
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) / length;
  return { numbers: distinct, values, isEmpty: false };
}
