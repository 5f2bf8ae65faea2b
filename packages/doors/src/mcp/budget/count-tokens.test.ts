import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countByPieces } from "./count-tokens.ts";

const exact = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });
const PIECES = [
  ...Array.from(" \n\t\u00a0\u2003\u3000\ufeff.,'\"\\/<{[-=1234567890aZéß中あ🦉\u0301"),
  "  ",
  " the",
  "n't",
  "'s",
  '","',
  "\\n",
  "<|endoftext|>",
  "https://",
];

describe("counting tokens by pieces", () => {
  it("comes to what the tokenizer says of the whole text", () => {
    const count = countByPieces(exact);
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (given) => {
        expect(count(given)).toBe(exact(given));
      }),
      { numRuns: 2_000 },
    );
  });

  it("asks for a piece once", () => {
    const asked: string[] = [];
    const count = countByPieces((text) => asked.push(text));
    count("stone on stone on stone");
    expect(asked).toEqual(["stone", " on", " stone"]);
  });

  it.each([
    ["letters", "東京都".repeat(3_000)],
    ["signs", "-=".repeat(4_000)],
    ["spaces", " ".repeat(9_000)],
  ])("takes no longer for a run of %s than for words, and is not under", (_, run) => {
    const sizes: number[] = [];
    const count = countByPieces((text) => {
      sizes.push(text.length);
      return exact(text);
    });
    const tokens = count(run);
    const most = Math.max(...sizes);
    expect(most).toBeLessThanOrEqual(128);
    expect(tokens).toBeGreaterThanOrEqual(exact(run.slice(0, 1_500)) * Math.floor(run.length / 1_500) - 5);
  });
});
