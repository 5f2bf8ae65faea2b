import type { Analyser } from "@quarry/retrieval";

/**
 * The words of a query that tell pages apart, each as the tokens that stand for it, each once; all its words when
 * there are no others ("to be or not to be").
 */
export function tellingTokens(
  analyser: Analyser,
  text: string,
  languages: readonly string[],
): readonly (readonly string[])[] {
  const words = analyser.analyseQuery(text, languages);
  const telling = words.filter(({ role }) => role !== "phrase");
  const chosen = telling.length > 0 ? telling : words;
  return [...new Map(chosen.map(({ tokens }) => [tokens.join(" "), tokens])).values()];
}
