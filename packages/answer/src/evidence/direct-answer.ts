import type { ContentPage } from "@quarry/search";
import { asksForAuthor, hasExpected, needsExpected } from "./expected-answer.ts";
import { coverWords, type Question } from "./question.ts";
import { wordsOf } from "./words-of.ts";

/** A sentence of a page with the tokens it has. */
interface ReadSentence {
  readonly text: string;
  readonly tokens: ReadonlySet<string>;
}

/**
 * Which share of the question's words a question or label of the page must have; and the least share of its own words, small ones
 * such as "is there a" counted, that are these.
 */
const SAME_COVER = 0.75;
const SAME_SHARE = 0.35;
/** "CEO: Lukas Brandl". */
const LABELLED = /^[^\p{L}\p{N}]*(?<label>[\p{L}\p{N}][^:：]{0,39})[:：]\s*(?<value>[^\s:：].{0,120})$/u;
const QUESTION_END = /[?？]["”’»)\]*]*$/u;

/**
 * Tells which sentences a page gives as the answer to this very question: what follows the same question on the page, what stands
 * behind a label that it asks for, and, where it asks who wrote what the page is, the one that names its author.
 */
export function findDirectAnswers(of: {
  readonly question: Question;
  readonly page: Pick<ContentPage, "author">;
  readonly title: ReadonlySet<string>;
  readonly sentences: readonly ReadSentence[];
}): (place: number) => boolean {
  const { question, page, title, sentences } = of;
  const asked = new Set(question.words.flatMap(({ tokens }) => tokens));
  const author = authorAsked(of) ? page.author?.trim() : undefined;
  const isSameQuestion = ({ text, tokens }: ReadSentence): boolean =>
    QUESTION_END.test(text) &&
    coverWords(question.words, tokens, title) >= SAME_COVER &&
    shareOf(tokens, asked) >= SAME_SHARE;
  return (place) => {
    const sentence = sentences[place];
    const before = sentences[place - 1];
    if (sentence === undefined || QUESTION_END.test(sentence.text)) return false;
    if (before !== undefined && isSameQuestion(before)) return true;
    if (author !== undefined && author !== "" && sentence.text.includes(author)) return true;
    return isLabelled(sentence, of, asked);
  };
}

function isLabelled(
  { text, tokens }: ReadSentence,
  { question, title }: { readonly question: Question; readonly title: ReadonlySet<string> },
  asked: ReadonlySet<string>,
): boolean {
  const { label, value } = LABELLED.exec(text)?.groups ?? {};
  if (label === undefined || value === undefined || !needsExpected(question.kind, question.text)) return false;
  const labelWords = wordsOf(label);
  const isAsked = labelWords.some((word) => asked.has(word)) && labelWords.every((word) => isIn(word, question.text));
  return (
    isAsked &&
    coverWords(question.words, tokens, title) >= SAME_COVER &&
    hasExpected(question.kind, value, question.text)
  );
}

/** Whether it asks who wrote the very thing that the page is: its title has the words that name it. */
function authorAsked({
  question,
  title,
}: {
  readonly question: Question;
  readonly title: ReadonlySet<string>;
}): boolean {
  if (!asksForAuthor(question.text)) return false;
  const named = question.words.filter(({ tokens }) => !tokens.some((token) => AUTHOR_WORDS.has(token)));
  return named.length > 0 && coverWords(named, title) >= SAME_COVER;
}

const AUTHOR_WORDS: ReadonlySet<string> = new Set("who wrote write author authored writer writers authors".split(" "));

function isIn(word: string, text: string): boolean {
  return wordsOf(text).includes(word);
}

function shareOf(tokens: ReadonlySet<string>, asked: ReadonlySet<string>): number {
  const common = [...tokens].filter((token) => asked.has(token)).length;
  return common / Math.max(1, tokens.size);
}
