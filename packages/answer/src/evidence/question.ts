import type { Analyser, TermStatistics } from "@quarry/retrieval";
import { guessLanguages } from "@quarry/search";
import { expectedAnswer, type ExpectedAnswer } from "./expected-answer.ts";

/** A question, read: what it asks for, and the words by which sentences are found that answer it. */
export interface Question {
  readonly text: string;
  readonly kind: ExpectedAnswer;
  readonly words: readonly WeightedWord[];
  /** The words that name something: a page that has too little of them is about something else. */
  readonly names: readonly WeightedWord[];
}

/** A word of a question; any of its tokens stands for it, and rare ones weigh more. */
export interface WeightedWord {
  readonly tokens: readonly string[];
  readonly weight: number;
}

/** What reading a question needs. */
export interface QuestionDeps {
  readonly analyser: Analyser;
  /** How telling words are among all pages. */
  readonly statistics: () => TermStatistics;
}

/** Reads a question. */
export function readQuestion({ analyser, statistics }: QuestionDeps, text: string): Question {
  const known = statistics();
  const languages = guessLanguages(text);
  const wordsOf = (part: string): readonly WeightedWord[] => {
    const words = analyser.analyseQuery(part, languages);
    const telling = words.filter(({ role }) => role !== "phrase");
    const tokens = (telling.length > 0 ? telling : words).map((word) => word.tokens);
    const unique = [...new Map(tokens.map((one) => [one.join(" "), one])).values()];
    return unique.map((one) => ({ tokens: one, weight: weightOf(known, one) }));
  };
  const names = text.match(/(?=\p{Lu})(?<=[\p{L}\p{N},;:)"”’]\s+["“(]?)\p{Lu}[\p{L}\p{N}'’-]*/gu) ?? [];
  return {
    text,
    kind: expectedAnswer(text),
    words: wordsOf(text),
    names: names.length === 0 ? [] : wordsOf(names.join(" ")),
  };
}

/** Which share of words, by weight, stands in any of these texts; 1 when there are no words. */
export function coverWords(words: readonly WeightedWord[], ...texts: readonly ReadonlySet<string>[]): number {
  let [found, all] = [0, 0];
  for (const { tokens, weight } of words) {
    all += weight;
    if (tokens.some((token) => texts.some((text) => text.has(token)))) found += weight;
  }
  return all === 0 ? 1 : found / all;
}

function weightOf({ pageCount, pagesWith }: TermStatistics, tokens: readonly string[]): number {
  const pages = Math.min(pageCount, Math.max(0, ...tokens.map((token) => pagesWith(token))));
  return Math.log(1 + (pageCount - pages + 0.5) / (pages + 0.5));
}
