import { FUNCTION_WORDS, LANGUAGE_LETTERS, SCRIPT_LANGUAGES } from "./language-signs.ts";

/**
 * The languages a query may be in (ISO 639-1), the likeliest first, at most MAX_LANGUAGES; English is always among them,
 * since pages in any language have English words. Queries are too short for letter statistics: the script, letters
 * that few languages have, and function words decide.
 */
export function guessLanguages(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const points = new Map<string, number>();
  const add = (languages: readonly string[], count: number): void => {
    for (const language of languages) points.set(language, (points.get(language) ?? 0) + count);
  };
  for (const [script, languages] of SCRIPT_LANGUAGES) if (script.test(lower)) add(languages, SCRIPT_POINTS);
  for (const [letters, languages] of LANGUAGE_LETTERS) if (letters.test(lower)) add(languages, LETTER_POINTS);
  const words = new Set(lower.match(/[\p{L}\p{M}]+/gu));
  for (const [language, known] of FUNCTION_WORDS) {
    add([language], [...words].filter((word) => known.has(word)).length);
  }
  const best = [...points].filter(([, count]) => count > 0).sort((one, other) => other[1] - one[1]);
  const top = best[0]?.[1] ?? 0;
  const likely = best.filter(([, count]) => count * 2 > top).map(([language]) => language);
  return [...new Set([...likely.slice(0, MAX_LANGUAGES - 1), "en"])];
}

const MAX_LANGUAGES = 3;
const SCRIPT_POINTS = 2;
const LETTER_POINTS = 1;
