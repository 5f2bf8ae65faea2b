import { splitSentences } from "@quarry/retrieval";
import type { ContentPage } from "@quarry/search";
import { namesDesignations } from "./designations.ts";
import { findDirectAnswers } from "./direct-answer.ts";
import { definesAsked, hasExpected } from "./expected-answer.ts";
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
  /** How near it is to the question in meaning, 0 to 1, where that was asked. */
  readonly nearness?: number | undefined;
  /** Whether the page gives it as the answer to this very question: see `direct-answer.ts`. */
  readonly isDirect?: boolean | undefined;
}

/** What of a page is read for a question: a book is not, to its end, while somebody waits. */
const READ_CHARACTERS = 200_000;
/** The least a page must have of the question's words, and of its names, to speak to it at all; then a sentence with its title. */
const MIN_PAGE_COVER = 0.3;
const MIN_NAMES_COVER = 0.5;
const MIN_SENTENCE_COVER = 0.2;
/** A sentence with more words than this says no more for it. */
const FULL_WORDS = 60;
/**
 * What counts for a sentence, found on the dev half of QED's questions (`npm run eval -- --only answer`): the question's words in
 * it, in it or its page's title, in the title alone, in its neighbours; that it has what is asked for, how early it stands, how much
 * it says. The figures are flat around these.
 */
const WEIGHTS = { own: 0.22, cover: 0.2, title: 0.16, around: 0.05, expected: 0.1, early: 0.12, length: 0.15 } as const;
/** What begins with what "what is …" asks for, and says what it is, is what people look for first; no judged set asks so. */
const DEFINES = 0.2;
/** What a page gives as the answer to this very question need not share a word with it. */
const DIRECT = 0.4;

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
  if (!speaks || !namesDesignations(question.text, `${page.title ?? ""}\n${text}`)) return [];
  const isDirect = findDirectAnswers({ question, page, title, sentences });
  const ofTitle = coverWords(question.words, title);
  const covers = sentences.map(({ tokens }) => coverWords(question.words, tokens));
  return sentences.flatMap(({ start, end, text: own, tokens }, place) => {
    const cover = coverWords(question.words, tokens, title);
    const direct = isDirect(place);
    if (cover < MIN_SENTENCE_COVER && !direct) return [];
    const score =
      WEIGHTS.own * (covers[place] ?? 0) +
      WEIGHTS.cover * cover +
      WEIGHTS.title * ofTitle +
      WEIGHTS.around * Math.max(covers[place - 1] ?? 0, covers[place + 1] ?? 0) +
      WEIGHTS.expected * (hasExpected(question.kind, own, question.text) ? 1 : 0) +
      WEIGHTS.early / (place + 1) +
      WEIGHTS.length * Math.min(1, Math.log(tokens.size + 1) / Math.log(FULL_WORDS + 1)) +
      (definesAsked(own, question.text) ? DEFINES : 0) +
      (direct ? DIRECT : 0);
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
        score: Math.min(1, score),
        cover: covers[place],
        ...(direct && { isDirect: true }),
      },
    ];
  });
}
