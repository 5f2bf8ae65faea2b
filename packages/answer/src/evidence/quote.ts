import { splitSentences } from "@quarry/retrieval";
import type { ContentPage } from "@quarry/search";
import { hasExpected } from "./expected-answer.ts";
import { coverWords, readQuestion, type Question, type QuestionDeps } from "./question.ts";

/** A sentence of a stored page, word for word, with its place: enough to cite it without the page at hand. */
export interface Quote {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** Null when the page asks not to be kept. */
  readonly snapshotId: string | null;
  readonly extractorVersion: string;
  /** UTF-16 offsets into the extracted text. */
  readonly start: number;
  readonly end: number;
  /** How well it answers the question it was found for, 0 to 1. */
  readonly score: number;
  /** Which share of the question's words, by weight, it has itself; quotes that were stored long ago do not say. */
  readonly cover?: number | undefined;
}

/** What of a page is read for a question: a book is not, to its end, while somebody waits. */
const READ_CHARACTERS = 200_000;
/** The least a page must have of the question's words, and of its names, to speak to it at all; then a sentence with its title. */
const MIN_PAGE_COVER = 0.3;
const MIN_NAMES_COVER = 0.5;
const MIN_SENTENCE_COVER = 0.2;
/** A long page speaks of much: there a sentence must have this share of the question's words that its best has. */
const LONG_PAGE_SENTENCES = 20;
const MIN_SHARE_OF_BEST = 0.6;
/** A sentence with more words than this says no more for it. */
const FULL_WORDS = 60;
/**
 * What counts for a sentence, found on the dev half of QED's questions (`npm run eval -- --only answer`): the question's words in
 * it, in it or its page's title, in the title alone, in its neighbours; that it has what is asked for, how early it stands, how much
 * it says. The figures are flat around these.
 */
const WEIGHTS = { own: 0.22, cover: 0.2, title: 0.16, around: 0.05, expected: 0.1, early: 0.12, length: 0.15 } as const;

/** What of pages speaks to a question, best first; pages that rank higher win where sentences are equal. */
export function findQuotes(deps: QuestionDeps, pages: readonly ContentPage[], question: string): readonly Quote[] {
  const read = readQuestion(deps, question);
  if (read.words.length === 0) return [];
  return pages.flatMap((page) => quotesOf(deps, page, read)).sort((one, other) => other.score - one.score);
}

function quotesOf({ analyser }: QuestionDeps, page: ContentPage, question: Question): readonly Quote[] {
  const text = page.text.slice(0, READ_CHARACTERS);
  const tokensOf = (part: string): readonly string[] => analyser.analyseText(part, page.language);
  const title = new Set(tokensOf(page.title ?? ""));
  const sentences = splitSentences(text).map(({ start, end }) => {
    const own = text.slice(start, end);
    return { start, end, text: own, tokens: new Set(tokensOf(own)) };
  });
  const whole = new Set(title);
  for (const { tokens } of sentences) for (const token of tokens) whole.add(token);
  const speaks =
    coverWords(question.words, whole) >= MIN_PAGE_COVER && coverWords(question.names, whole) >= MIN_NAMES_COVER;
  if (!speaks) return [];
  const ofTitle = coverWords(question.words, title);
  const covers = sentences.map(({ tokens }) => coverWords(question.words, tokens));
  const best = covers.reduce((most, cover) => Math.max(most, cover), 0);
  const floor = sentences.length > LONG_PAGE_SENTENCES ? MIN_SHARE_OF_BEST * best : 0;
  return sentences.flatMap(({ start, end, text: own, tokens }, place) => {
    const cover = coverWords(question.words, tokens, title);
    if (cover < MIN_SENTENCE_COVER || (covers[place] ?? 0) < floor) return [];
    const score =
      WEIGHTS.own * (covers[place] ?? 0) +
      WEIGHTS.cover * cover +
      WEIGHTS.title * ofTitle +
      WEIGHTS.around * Math.max(covers[place - 1] ?? 0, covers[place + 1] ?? 0) +
      WEIGHTS.expected * (hasExpected(question.kind, own, question.text) ? 1 : 0) +
      WEIGHTS.early / (place + 1) +
      WEIGHTS.length * Math.min(1, Math.log(tokens.size + 1) / Math.log(FULL_WORDS + 1));
    const { snapshotId, extractorVersion, url } = page;
    return [
      {
        url,
        title: page.title ?? url,
        text: own,
        snapshotId,
        extractorVersion,
        start,
        end,
        score,
        cover: covers[place],
      },
    ];
  });
}
