/** True and false positives and false negatives of one page, as shares of their sum. */
export interface ShingleCounts {
  readonly tp: number;
  readonly fp: number;
  readonly fn: number;
}

/** Precision, recall and their harmonic mean. */
export interface Scores {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const WORD = /[\p{L}\p{N}_]+/gu;

/** The words of a text: runs of letters, digits and underscores. */
export function toWords(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

/** Compares two texts by their bags of four-word shingles (article-extraction-benchmark). */
export function countShingles(truth: string, found: string): ShingleCounts {
  const { shared, onlyFound, onlyTruth } = compareBags(toShingles(truth), toShingles(found));
  const sum = shared + onlyFound + onlyTruth;
  return sum === 0 ? { tp: 0, fp: 0, fn: 0 } : { tp: shared / sum, fp: onlyFound / sum, fn: onlyTruth / sum };
}

/** Macro precision and recall over pages, and the F1 of those two means. */
export function scoreShingles(pages: readonly ShingleCounts[]): Scores {
  const precision = mean(pages.filter(({ tp, fp }) => tp + fp > 0).map(({ tp, fp, fn }) => share(tp, fp, fn)));
  const recall = mean(pages.filter(({ tp, fn }) => tp + fn > 0).map(({ tp, fp, fn }) => share(tp, fn, fp)));
  return { precision, recall, f1: harmonic(precision, recall) };
}

/** Compares two texts by their bags of lower-cased words (WCXB). */
export function scoreWords(truth: string, found: string): Scores {
  const truthWords = toWords(truth.toLowerCase());
  const foundWords = toWords(found.toLowerCase());
  if (truthWords.length === 0 && foundWords.length === 0) return { precision: 1, recall: 1, f1: 1 };
  const { shared } = compareBags(truthWords, foundWords);
  const precision = foundWords.length === 0 ? 0 : shared / foundWords.length;
  const recall = truthWords.length === 0 ? 0 : shared / truthWords.length;
  return { precision, recall, f1: harmonic(precision, recall) };
}

/** The mean of some numbers; 0 for none. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function toShingles(text: string): readonly string[] {
  const words = toWords(text);
  const count = Math.max(1, words.length - 3);
  return Array.from({ length: count }, (_, index) => words.slice(index, index + 4).join(" "));
}

/** How many entries two bags share, and how many only one of them has. */
export function compareBags(
  truth: readonly string[],
  found: readonly string[],
): { readonly shared: number; readonly onlyFound: number; readonly onlyTruth: number } {
  const left = new Map<string, number>();
  for (const entry of truth) left.set(entry, (left.get(entry) ?? 0) + 1);
  let shared = 0;
  for (const entry of found) {
    const count = left.get(entry) ?? 0;
    if (count === 0) continue;
    shared += 1;
    left.set(entry, count - 1);
  }
  return { shared, onlyFound: found.length - shared, onlyTruth: truth.length - shared };
}

function share(hits: number, misses: number, others: number): number {
  if (misses === 0 && others === 0) return 1;
  return hits === 0 && misses === 0 ? 0 : hits / (hits + misses);
}

function harmonic(precision: number, recall: number): number {
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}
