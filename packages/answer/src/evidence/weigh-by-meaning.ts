import { AppError } from "@quarry/base";
import type { Quote } from "./quote.ts";

/** The vectors of texts, of unit length, in their order. Rejects with `unavailable` while the model loads. */
export type EmbedTexts = (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[]>;

/** How many of the best by words are read by meaning, too: forty gave no better answers, and each takes some milliseconds. */
const READ_BY_MEANING = 24;
/**
 * What nearness to the question counts for beside words. Found on the dev halves of QED's and chunking-eval's questions
 * (`npm run eval -- --only answer`): of those held out, the first sentence answers .61 rather than .57, and .30 rather than .22.
 * Flat from 0.3 to 0.6.
 */
const MEANING = 0.5;

/**
 * The quotes that speak best to a question by their words, weighed by meaning as well: best first. A sentence is read with the
 * title of its page, since it seldom names what the page is about. By words alone where there is no model, or not yet.
 */
export async function weighByMeaning(
  embed: EmbedTexts | undefined,
  question: string,
  quotes: readonly Quote[],
  signal: AbortSignal,
): Promise<readonly Quote[]> {
  if (embed === undefined || quotes.length === 0) return quotes;
  const read = quotes.slice(0, READ_BY_MEANING);
  const vectors = await embed([question, ...read.map(({ title, text }) => `${title}: ${text}`)], signal).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      if (AppError.from(error).code === "unavailable") return undefined; // it is being loaded
      throw error;
    },
  );
  if (vectors === undefined) return quotes;
  const [asked, ...own] = vectors;
  const nearness = (index: number): number => Math.max(0, dot(asked, own[index]));
  return read
    .map((quote, index) => {
      const near = nearness(index);
      return { ...quote, score: (1 - MEANING) * quote.score + MEANING * near, nearness: near };
    })
    .sort((one, other) => other.score - one.score);
}

function dot(one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}
