import { createAnalyser, type TermStatistics } from "@quarry/retrieval";
import { scoreSentences, type ScoredSentence } from "../rank/score-sentences.ts";
import { guessLanguages } from "../understand/guess-languages.ts";

/** A text to look through for a query. */
export interface SearchedText {
  readonly text: string;
  readonly language: string | null;
  /** Where ranking found the page near in meaning, for queries whose words it does not have. */
  readonly passages?: readonly ScoredSentence[] | undefined;
  /** Whether sentences are judged one by one (which is usual), or by the passage they stand in. */
  readonly unit?: "sentence" | "passage" | undefined;
}

/** Scores every sentence of a text for a query, in the order of the text. */
export type ScoreSentences = (query: string, searched: SearchedText) => readonly ScoredSentence[];

/** A scorer that knows how telling words are among all pages. */
export function createSentenceScorer(statistics: () => TermStatistics): ScoreSentences {
  const analyser = createAnalyser();
  return (query, { text, language, passages = [], unit }) =>
    scoreSentences(text, {
      query,
      // a bare name tells no language, and the page's own stems it otherwise
      languages: [...guessLanguages(query), ...(language === null ? [] : [language])],
      language,
      statistics: statistics(),
      similarities: passages.map(({ start, end, score }) => ({ start, end, cosine: score })),
      unit,
      analyser,
    });
}
