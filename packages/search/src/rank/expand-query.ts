import { inverseFrequency, type Analyser, type TermStatistics } from "@quarry/retrieval";

/** Words taken from the best pages. */
const EXPANSION_WORDS = 12;
const MIN_WORD_LENGTH = 3;
/** What is longer is no word that another page has, and may be longer than a query. */
const WORDS = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]{1,60}(?![\p{L}\p{M}\p{N}])/gu;
/** A word of one page alone may be that page's own; it counts less. */
const LONER_SHARE = 0.3;

/**
 * The words that the best pages have in common and others have not, as they are written there: what a search for the
 * query's own words misses ("automobile" for "car"). `texts` come best page first.
 */
export function expandQuery(
  analyser: Analyser,
  texts: readonly { readonly text: string; readonly language: string | null }[],
  statistics: TermStatistics,
): readonly string[] {
  const found = new Map<string, { word: string; weight: number; pages: number }>();
  for (const [place, { text, language }] of texts.entries()) {
    const counts = new Map<string, { word: string; count: number }>();
    for (const [word] of text.matchAll(WORDS)) {
      if (word.length < MIN_WORD_LENGTH || /^\p{N}+$/u.test(word)) continue;
      const token = analyser.analyseText(word, language)[0] ?? "";
      const known = counts.get(token);
      counts.set(token, { word: known?.word ?? word, count: (known?.count ?? 0) + 1 });
    }
    for (const [token, { word, count }] of counts) {
      const known = found.get(token);
      const weight = (1 + Math.log(count)) / (place + 2);
      found.set(token, {
        word: known?.word ?? word,
        weight: (known?.weight ?? 0) + weight,
        pages: (known?.pages ?? 0) + 1,
      });
    }
  }
  return [...found]
    .map(([token, { word, weight, pages }]) => ({
      word,
      weight: weight * inverseFrequency(statistics, token) * (pages === 1 ? LONER_SHARE : 1),
    }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, EXPANSION_WORDS)
    .map(({ word }) => word);
}
