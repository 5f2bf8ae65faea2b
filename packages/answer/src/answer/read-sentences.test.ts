import { expect, it } from "vitest";
import { readSentences, type WrittenSentence } from "./read-sentences.ts";

async function read(text: string, step: number): Promise<readonly WrittenSentence[]> {
  async function* deltas(): AsyncGenerator<string> {
    for (let start = 0; start < text.length; start += step)
      yield await Promise.resolve(text.slice(start, start + step));
  }
  const sentences: WrittenSentence[] = [];
  for await (const sentence of readSentences(deltas())) sentences.push(sentence);
  return sentences;
}

it.each([1, 3, 7, 1_000])("finds the same sentences however the text is cut: %i", async (step) => {
  const text = "Git is a tool [1]. It was made in 2005. [2][3] See [the docs] for e.g. hooks [1, 4]\nUnsupported end.";
  expect(await read(text, step)).toEqual([
    { text: "Git is a tool.", sources: [1] },
    { text: "It was made in 2005.", sources: [2, 3] },
    { text: "See [the docs] for e.g. hooks", sources: [1, 4] },
  ]);
});

it("gives nothing for text without marks, and does not hold all of an endless one", async () => {
  expect(await read("NO ANSWER", 3)).toEqual([]);
  expect(await read(`${"word ".repeat(5_000)}the end [1]`, 500)).toHaveLength(1);
});
