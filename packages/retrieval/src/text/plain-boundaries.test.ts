import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainBoundaries } from "./plain-boundaries.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
const expected = (line: string): readonly number[] =>
  Array.from(segmenter.segment(line), ({ index }) => index).slice(1);

describe("plainBoundaries", () => {
  it.each([
    'He said "Go." Then he left.',
    "Version 1.2 came. 3.Foo is next (see e.g. below). it went on",
    "What?! Yes... no. — maybe",
    "a.b.c. D.E.F. “Quoted.” Next",
    "",
    "...",
  ])("ends sentences where the segmenter does: %s", (line) => {
    expect(plainBoundaries(line)).toEqual(expected(line));
  });

  it("agrees with the segmenter on any plain text", () => {
    // The semicolon is left out: whether a sentence may begin with one changed between versions of Unicode.
    const sign = fc.constantFrom(...Array.from(` .!?,:-'"()[]aBcD12\t\u00a0–—‘’“”•…_/+`));
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 30 }), (signs) => {
        const line = signs.join("");
        expect(plainBoundaries(line)).toEqual(expected(line));
      }),
      { numRuns: 5_000 },
    );
  });
});
