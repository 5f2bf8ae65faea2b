import { expectedAnswer, hasExpected } from "./expected-answer.ts";
import type { Quote } from "./quote.ts";

/** Sentences that are about the question and have what it asks for come before those that are only about it. */
const EXPECTED_BONUS = 0.25;
/** Pages are in the order of their rank: a little of that counts, too. */
const RANK_STEP = 0.02;
/** Two sentences that share more of their words say the same. */
const MAX_OVERLAP = 0.6;
/** A heading or a crumb of navigation answers nothing. */
const MIN_CHARACTERS = 20;
const MAX_CHARACTERS = 600;

/** How many sentences, and what the least of them must score against the best. */
export interface SentenceWish {
  readonly most: number;
  readonly mostPerPage: number;
  /** The score below which a sentence does not speak to the question at all. */
  readonly minScore: number;
}

/**
 * The sentences that answer a question best, best first, none saying what another has said. `quotes` come best first from pages in
 * the order of `urls`.
 */
export function chooseSentences(
  quotes: readonly Quote[],
  question: string,
  urls: readonly string[],
  wish: SentenceWish,
): readonly Quote[] {
  const kind = expectedAnswer(question);
  const ranked = quotes
    .filter(({ score, text }) => score >= wish.minScore && isSentence(text))
    .map((one) => ({
      one,
      value:
        one.score +
        (hasExpected(kind, one.text, question) ? EXPECTED_BONUS : 0) -
        RANK_STEP * Math.max(0, urls.indexOf(one.url)),
    }))
    .sort((first, second) => second.value - first.value);
  const chosen: Quote[] = [];
  const words: ReadonlySet<string>[] = [];
  for (const { one } of ranked) {
    if (chosen.length >= wish.most) break;
    if (chosen.filter(({ url }) => url === one.url).length >= wish.mostPerPage) continue;
    const own = wordsOf(one.text);
    if (words.some((other) => overlap(own, other) > MAX_OVERLAP)) continue;
    chosen.push(one);
    words.push(own);
  }
  return chosen;
}

function isSentence(text: string): boolean {
  return (
    text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS && !text.includes(" | ") && !/[?？]\s*$/u.test(text)
  );
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length;
  return common / Math.max(1, Math.min(one.size, other.size));
}
