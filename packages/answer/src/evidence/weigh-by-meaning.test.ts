import { AppError } from "@quarry/base";
import { expect, it } from "vitest";
import type { Quote } from "./quote.ts";
import { weighByMeaning, type EmbedTexts } from "./weigh-by-meaning.ts";

const never = new AbortController().signal;
const quoteOf = (text: string, score: number): Quote => {
  const url = "https://e.org/";
  return { url, title: "Limits", text, score, snapshotId: "s", extractorVersion: "1", start: 0, end: text.length };
};
const QUOTES = [quoteOf("The question's words.", 0.8), quoteOf("What answers it.", 0.6)];
const textsOf = (quotes: readonly Quote[]): readonly string[] => quotes.map(({ text }) => text);

/** Whatever speaks of an answer means what the question asks. */
function meaning(asked: string[] = []): EmbedTexts {
  return (texts) => {
    asked.push(...texts);
    return Promise.resolve(texts.map((text) => Float32Array.from(/answers|\?/.test(text) ? [1, 0] : [0, 1])));
  };
}

it("puts what means the same before what only shares words, read with the title of its page", async () => {
  const asked: string[] = [];
  const weighed = await weighByMeaning(meaning(asked), "How large?", QUOTES, never);
  expect(weighed.map(({ text, score }) => [text, score])).toEqual([
    ["What answers it.", 0.8],
    ["The question's words.", 0.4],
  ]);
  expect(asked).toEqual(["How large?", "Limits: The question's words.", "Limits: What answers it."]);
});

it("reads a few of the best by words, however many there are", async () => {
  const asked: string[] = [];
  const many = Array.from({ length: 500 }, (_, index) => quoteOf(`Sentence ${index}.`, 1 - index / 1_000));
  await weighByMeaning(meaning(asked), "How large?", many, never);
  expect(asked.length).toBeLessThan(50);
});

it("leaves the order of words while there is no model", async () => {
  expect(await weighByMeaning(undefined, "How large?", QUOTES, never)).toBe(QUOTES);
  const loading: EmbedTexts = () => Promise.reject(new AppError("unavailable", "the model is being loaded"));
  expect(textsOf(await weighByMeaning(loading, "How large?", QUOTES, never))).toEqual(textsOf(QUOTES));
});

it("hides no other failure, and ends when aborted", async () => {
  const broken: EmbedTexts = () => Promise.reject(new AppError("internal", "out of memory"));
  await expect(weighByMeaning(broken, "How large?", QUOTES, never)).rejects.toThrow("out of memory");
  const stop = new AbortController();
  const slow: EmbedTexts = () => {
    stop.abort();
    return Promise.reject(new AppError("unavailable", "the model is being loaded"));
  };
  await expect(weighByMeaning(slow, "How large?", QUOTES, stop.signal)).rejects.toThrow("aborted");
});
