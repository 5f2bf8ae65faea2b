import { findEvidence, type ContentPage, type ScoreSentences } from "@quarry/search";

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
}

/** What of pages speaks to a question, best first. */
export function findQuotes(
  scoreSentences: ScoreSentences,
  pages: readonly ContentPage[],
  question: string,
): readonly Quote[] {
  return findEvidence(scoreSentences, pages, question).map(({ page, text, start, end, score }) => ({
    url: page.url,
    title: page.title ?? page.url,
    text,
    snapshotId: page.snapshotId,
    extractorVersion: page.extractorVersion,
    start,
    end,
    score,
  }));
}
