import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkText } from "./chunk-text.ts";
import { splitSentences, splitShownSentences } from "./split-sentences.ts";

const cut = (text: string): readonly string[] => splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe("splitSentences", () => {
  it.each([
    ["abbreviations", "Dr. Smith met Mrs. Jones. They left.", ["Dr. Smith met Mrs. Jones.", "They left."]],
    ["initials", "J. R. Ewing spoke. We heard.", ["J. R. Ewing spoke.", "We heard."]],
    ["what goes on small", "See e.g. the list. It is long.", ["See e.g. the list.", "It is long."]],
    ["numbers", "It grew 3.5 percent! Really?", ["It grew 3.5 percent!", "Really?"]],
    ["lines", "A heading\nA line.\n\nAnother", ["A heading", "A line.", "Another"]],
    ["Japanese", "これは文です。次の文です。", ["これは文です。", "次の文です。"]],
    ["Hindi", "यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]],
    ["nothing", " \n ", []],
  ])("splits at sentences: %s", (_, text, sentences) => {
    expect(cut(text)).toEqual(sentences);
  });

  it("takes time that grows with the length, not with its square", () => {
    const text = "Some words make a sentence. ".repeat(40_000); // minutes, were it the square
    expect(splitSentences(text)).toHaveLength(40_000);
  });
});

describe("chunkText of a text without spaces", () => {
  it("takes millions of letters", () => {
    expect(chunkText("a".repeat(16_000_000), [], { title: null })).toHaveLength(1);
  });
});

describe("splitShownSentences", () => {
  it("ends at every stop what is too long for one sentence, as a text without capitals is", () => {
    const filler = "and so on ".repeat(50).trim();
    const text = `sales of acme inc. rose 3.5 percent in 2014. that was (as mr. j. smith said) "enough." ${filler}.`;
    expect(splitSentences(text)).toHaveLength(1);
    expect(splitShownSentences(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      "sales of acme inc. rose 3.5 percent in 2014.",
      'that was (as mr. j. smith said) "enough."',
      `${filler}.`,
    ]);
  });

  it("leaves other sentences whole", () => {
    const text = "See e.g. the list. It is long.";
    expect(splitShownSentences(text)).toEqual(splitSentences(text));
  });
});

describe("chunkText", () => {
  const sentence = "Ten words make a sentence that is easy to count. ";

  it("cuts at sentences, evenly", () => {
    const text = sentence.repeat(30).trim();
    const chunks = chunkText(text, [], { title: null });
    expect(chunks.map(({ start, end }) => [start, end])).toEqual([
      [0, 15 * sentence.length - 1],
      [15 * sentence.length, text.length],
    ]);
  });

  it("puts title and headings in front for the model, not into the range", () => {
    const intro = `Guide\n${sentence.repeat(12)}\n`;
    const text = `${intro}Install\n${sentence.repeat(12)}\nLinux\n${sentence.repeat(12)}`;
    const headings = ["Guide", "Install", "Linux"].map((name, level) => ({
      level: level + 1,
      text: name,
      start: text.indexOf(`${name}\n`),
    }));
    const chunks = chunkText(text, headings, { title: "Quarry" });
    expect(chunks.map(({ passage }) => passage.split("\n").slice(0, 2))).toEqual([
      ["Quarry", "Guide"],
      ["Quarry > Guide", "Install"],
      ["Quarry > Guide > Install", "Linux"],
    ]);
    expect(chunks.map(({ start, end }) => text.slice(start, end).split("\n")[0])).toEqual([
      "Guide",
      "Install",
      "Linux",
    ]);
  });

  it("cuts what has no sentences, between words or signs", () => {
    const words = chunkText("word ".repeat(1_000), [], { title: null });
    expect(words.map(({ start, end }) => end - start)).toEqual([999, 999, 999, 999, 999]);
    const signs = chunkText("長い文".repeat(300), [], { title: null });
    expect(signs.length).toBeGreaterThan(2);
    expect(signs.every(({ start, end }) => end - start <= 300)).toBe(true);
  });

  it("gives a short text one chunk and an empty one none", () => {
    expect(chunkText("Short.", [], { title: "T" })).toEqual([{ number: 0, start: 0, end: 6, passage: "T\nShort." }]);
    expect(chunkText(" \n\t", [], { title: "T" })).toEqual([]);
  });

  it("covers every text but its white space, in order, without overlap", () => {
    const word = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 30 }),
      fc.constantFrom("Dr.", "end.", "\n", "語。", "ก"),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 300 }), fc.integer({ min: 5, max: 50 }), (parts, targetWords) => {
        const text = parts.join(" ");
        const chunks = chunkText(text, [], { title: null, targetWords });
        let last = 0;
        for (const { start, end, number, passage } of chunks) {
          expect(text.slice(last, start).trim()).toBe("");
          expect(passage).toBe(text.slice(start, end));
          expect(chunks[number]?.start).toBe(start);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(text.slice(last).trim()).toBe("");
      }),
      { numRuns: 200 },
    );
  });
});
