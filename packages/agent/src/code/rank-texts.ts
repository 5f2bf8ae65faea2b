import { codeWords, countWords, questionWords } from "./code-words.ts";
import { WordIndex } from "./word-index.ts";

/** Which of some texts are about a question by their words, best first, by their places in the list. */
export function rankTexts(query: string, texts: readonly string[], limit: number): readonly number[] {
  const index = new WordIndex();
  for (const [at, text] of texts.entries()) index.add(at, [...countWords(codeWords(text))]);
  return index.find(questionWords(query), limit, () => true).map(({ chunk }) => chunk);
}
