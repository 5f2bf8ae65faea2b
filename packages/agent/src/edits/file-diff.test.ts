import { applyPatch } from "diff";
import { expect, it } from "vitest";
import { diffTexts } from "./file-diff.ts";

const TEXTS = 400;

it("tells a change of a few lines by their places in the whole text", () => {
  const line = (index: number): string => `line ${index}\n`;
  const text = Array.from({ length: 1_000 }, (_, index) => line(index)).join("");
  const { chunks, linesAdded, linesRemoved } = diffTexts(text, text.replace(line(500), "other\n"));
  expect([linesAdded, linesRemoved]).toEqual([1, 1]);
  expect(chunks).toMatchObject([{ oldStart: 498, newStart: 498, oldLines: 7, newLines: 7 }]);
  expect(chunks[0]?.lines.slice(2, 6)).toEqual([" line 499", "-line 500", "+other", " line 501"]);
});

it("makes chunks that lead from the one text to the other, whatever they share", () => {
  let state = 20_261_116;
  const below = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
  const piece = (): string => ["a\n", "b\n", "\n", "a", "c d\n"][below(5)] ?? "";
  const several = (most: number): string => Array.from({ length: below(most) }, piece).join("");
  for (let round = 0; round < TEXTS; round += 1) {
    const [head, tail] = [several(12), several(12)];
    const [before, after] = [head + several(4) + tail, head + several(4) + tail];
    const hunks = diffTexts(before, after).chunks.map((chunk) => ({ ...chunk, lines: [...chunk.lines] }));
    const headers = { oldFileName: "", newFileName: "", oldHeader: "", newHeader: "" };
    const patched = applyPatch(before, { ...headers, hunks });
    expect(patched, JSON.stringify({ before, after })).toBe(after);
  }
});
