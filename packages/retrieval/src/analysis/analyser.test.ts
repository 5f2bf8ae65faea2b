import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAnalyser, createTokenReader, MAX_TOKEN_LENGTH } from "./analyser.ts";

const analyser = createAnalyser();
const tokens = (text: string, language: string | null = "en"): string => analyser.analyseText(text, language).join(" ");

describe("analyseText", () => {
  it.each([
    ["lower case and stems", "Running Universities", "run univers"],
    ["stop words stay", "the cat of the house", "the cat of the hous"],
    ["hyphens whole and in parts", "state-of-the-art e-mail", "stateoftheart state of the art email e mail"],
    [
      "names in code",
      "getElementById snake_case HTTPServer",
      "getelementbyid get element by id snakecas snake case httpserver http server",
    ],
    ["signs of languages", "C++ C# F# node.js", "c++ c# f# nodej node js"],
    ["versions and numbers", "v1.2.3 10.4 1,234.5 covid19 mp3", "v1.2.3 1.2.3 10.4 1234.5 covid19 covid 19 mp3"],
    ["acronyms", "U.S.A. R&D", "usa rd"],
    ["apostrophes", "Obama's don’t l'amour", "obama dont l amour"],
    ["marks fold", "café naïve Straße Søren İstanbul ﬁne x²", "cafe naiv strass soren istanbul fine x2"],
    ["digits of any script", "١٢٣ १२३ ４５", "123 123 45"],
    ["pictographs", "nice 👍", "nice 👍"],
    ["soft hyphens and joiners vanish", "hy\u00adphen zero\u200bwidth", "hyphen zerowidth"],
    ["nothing from punctuation", "… — !? ()", ""],
  ])("%s", (_, text, expected) => {
    expect(tokens(text)).toBe(expected);
  });

  it.each([
    ["de", "Häuser Bücher", "Haus Buch"],
    ["fr", "chanteuses nationales", "chanteuse national"],
    ["es", "canciones", "canción"],
    ["ru", "книгами", "книга"],
    ["el", "ΔΡΟΜΟΣ", "δρόμος"],
    ["tr", "kitaplar", "kitap"],
    ["ar", "مُحَمَّد", "محمد"],
  ])("brings the forms of a word together in %s", (language, one, other) => {
    expect(tokens(one, language)).toBe(tokens(other, language));
  });

  it("keeps marks that are letters", () => {
    expect(tokens("किताब", null)).not.toBe(tokens("कतब", null));
    expect(tokens("мой", "xx")).not.toBe(tokens("мои", "xx"));
  });

  it("pairs the signs of scripts without spaces", () => {
    expect(tokens("東京都", "ja")).toBe("東 東京 京 京都 都");
    expect(tokens("iPhone用户", "zh")).toBe("iphone i phone 用 用户 户");
  });

  it("cuts long tokens and mends broken text", () => {
    expect(tokens("x".repeat(500), "zz")).toBe("x".repeat(MAX_TOKEN_LENGTH));
    expect(tokens("a\ud800b")).toBe("a b");
  });

  it("takes time that grows with the length, in scripts without spaces too", () => {
    expect(analyser.analyseText("語".repeat(200_000), "ja")).toHaveLength(399_999);
  });

  it("reads a text of any length, with spaces or without", () => {
    const words = Array.from({ length: 100_000 }, (_, index) => `x${(index % 50) + 100}`);
    expect(analyser.analyseText(words.join(" "), "en").filter((token) => token.startsWith("x"))).toEqual(words);
    expect(analyser.analyseText(`${"a-".repeat(4_000_000)} last`, "en").at(-1)).toBe("last");
    expect(analyser.analyseText("漢".repeat(4_000_000), "zh").at(-1)).toBe("漢");
  });
});

describe("what is remembered of texts", () => {
  it("has one limit for all languages together", () => {
    let made = 0;
    const read = createTokenReader(() => (made += 1));
    const words = Array.from({ length: 60_000 }, (_word, number) => spell(number)).join(" ");
    read(words, "en");
    read("baaa", "en");
    expect(made).toBe(60_000);
    read(words, "de");
    read("baaa", "en");
    expect(made).toBe(120_001);
  });
});

/** A word of four letters, another for each number. */
function spell(number: number): string {
  return [number, number / 20, number / 400, number / 8_000]
    .map((digit) => "abcdefghijklmnopqrst"[Math.floor(digit) % 20])
    .join("");
}

describe("analyseQuery", () => {
  it("tells words that matter from those that do not", () => {
    expect(
      analyser.analyseQuery("how to use e-mail", ["en"]).map(({ tokens: [token], role }) => [token, role]),
    ).toEqual([
      ["how", "phrase"],
      ["to", "phrase"],
      ["us", "word"],
      ["email", "whole"],
      ["e", "word"],
      ["mail", "word"],
    ]);
  });

  it("gives a word one token for each language it may be in", () => {
    expect(analyser.analyseQuery("Häuser", ["en", "de"])).toEqual([{ tokens: ["hauser", "haus"], role: "word" }]);
  });
});

/** A word or two of every kind of script, and random strings of the scripts' letters. */
const SCRIPTS: readonly (readonly [string, number, number])[] = [
  ["Latin", 0x61, 0x7a],
  ["Latin with marks", 0xe0, 0xf6],
  ["Vietnamese", 0x1ea0, 0x1ef9],
  ["Greek", 0x3b1, 0x3c9],
  ["Cyrillic", 0x430, 0x44f],
  ["Armenian", 0x561, 0x586],
  ["Hebrew", 0x5d0, 0x5ea],
  ["Arabic", 0x627, 0x64a],
  ["Syriac", 0x710, 0x72c],
  ["Devanagari", 0x905, 0x94d],
  ["Bengali", 0x995, 0x9cd],
  ["Gurmukhi", 0xa15, 0xa4d],
  ["Gujarati", 0xa95, 0xacd],
  ["Tamil", 0xb95, 0xbcd],
  ["Telugu", 0xc15, 0xc4d],
  ["Kannada", 0xc95, 0xccd],
  ["Malayalam", 0xd15, 0xd4d],
  ["Sinhala", 0xd9a, 0xdc6],
  ["Thai", 0xe01, 0xe3a],
  ["Lao", 0xe94, 0xeb9],
  ["Tibetan", 0xf40, 0xf6c],
  ["Myanmar", 0x1000, 0x1039],
  ["Georgian", 0x10d0, 0x10f0],
  ["Hangul", 0xac00, 0xd7a3],
  ["Ethiopic", 0x1200, 0x1248],
  ["Cherokee", 0x13a0, 0x13f4],
  ["Khmer", 0x1780, 0x17b3],
  ["Mongolian", 0x1820, 0x1842],
  ["Hiragana", 0x3041, 0x3096],
  ["Katakana", 0x30a1, 0x30fa],
  ["Han", 0x4e00, 0x9fff],
  ["Han of the second plane", 0x20000, 0x2a6df],
  ["Yi", 0xa000, 0xa48c],
  ["Javanese", 0xa984, 0xa9b2],
  ["Gothic", 0x10330, 0x10340],
  ["Deseret", 0x10400, 0x1044f],
  ["Adlam", 0x1e900, 0x1e943],
];

describe("any script", () => {
  const word = fc
    .constantFrom(...SCRIPTS)
    .chain(([, first, last]) => fc.array(fc.integer({ min: first, max: last }), { minLength: 1, maxLength: 8 }))
    .map((codes) => String.fromCodePoint(...codes))
    .filter((letters) => /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*$/u.test(letters)); // without code points nobody has assigned

  verifies("index:words:any-script", "finds each word of a text by the word alone, in every script", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.nat(), (words, pick) => {
        const text = new Set(analyser.analyseText(words.join(" "), null));
        const chosen = words[pick % words.length] ?? "";
        const query = analyser.analyseQuery(chosen, []);
        expect(query.every(({ tokens: choice }) => choice.some((token) => text.has(token)))).toBe(true);
        expect(query.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it("finds any part of a text without spaces, in the order it stands there", () => {
    const sign = fc.constantFrom(...SCRIPTS.filter(([name]) => /Han|kana|Thai|Lao|Khmer/.test(name)));
    const text = fc
      .array(
        sign.chain(([, first, last]) => fc.integer({ min: first, max: last })),
        { minLength: 2, maxLength: 30 },
      )
      .map((codes) => codes.map((code) => String.fromCodePoint(code)).filter((one) => /[\p{L}\p{M}]/u.test(one)))
      .filter((signs) => signs.length > 0);
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (signs, one, other) => {
        const start = one % signs.length;
        const part = signs.slice(start, start + 1 + (other % signs.length)).join("");
        if (/^\p{M}/u.test(part) || part.normalize("NFKC") !== part) return; // the middle of a sign is not a part
        const whole = signs.join("");
        if (whole.normalize("NFKC") !== whole || /^\p{M}/u.test(signs[start + (other % signs.length) + 1] ?? ""))
          return;
        expect(` ${tokens(whole)} `).toContain(` ${tokens(part)} `);
      }),
      { numRuns: 500 },
    );
  });

  it("makes tokens that a splitter at spaces takes as they are, from anything", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.constantFrom("en", "tr", "ar", "hi", null),
        (text, language) => {
          for (const token of analyser.analyseText(text, language)) {
            expect(token).toMatch(/^[^\s|]+$/u);
            expect(token.length).toBeLessThanOrEqual(MAX_TOKEN_LENGTH);
            expect(token.isWellFormed()).toBe(true);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
