import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNearDuplicate, MIN_SIMHASH_WORDS, simhashDistance, simhashKeys, simhashOf } from "./simhash.ts";

/** Repeatable chance. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Stored fingerprints outlive a release: a change here means that all must be made anew. */
const PINNED = "3a41a78bf81f6ddc";

const random = createRandom(11);
const vocabulary = Array.from(
  { length: 3000 },
  (_word, index) => `w${index.toString(36).replace(/\d/g, "q")}${"aeiou".charAt(index % 5)}`,
);
/** Some words are common and most are rare, as in any language. */
const anyWord = (): string => vocabulary[Math.floor(vocabulary.length * random() ** 2.5)] ?? "";
const wordsOf = (count: number): string[] => Array.from({ length: count }, anyWord);

/** The share of 100 texts that are found to be near duplicates of their variant. */
function shareFound(words: number, vary: (text: string[]) => string[]): number {
  let found = 0;
  for (let round = 0; round < 100; round += 1) {
    const text = wordsOf(words);
    if (isNearDuplicate(simhashOf(text.join(" ")) ?? "", simhashOf(vary(text).join(" ")) ?? "")) found += 1;
  }
  return found / 100;
}

describe("simhashOf", () => {
  it.each([
    [
      "case, punctuation and line breaks",
      (text: string[]) => text.map((word, at) => (at % 7 === 0 ? `${word.toUpperCase()},\n` : word)),
      1,
    ],
    [
      "another date and counter",
      (text: string[]) => text.map((word, at) => (at === 5 ? String(Math.floor(random() * 1e6)) : word)),
      0.97,
    ],
    ["one word of 600", (text: string[]) => text.map((word, at) => (at === 300 ? "changed" : word)), 0.97],
    ["halves swapped", (text: string[]) => [...text.slice(300), ...text.slice(0, 300)], 0.97],
    ["five words more", (text: string[]) => [...text, ...wordsOf(5)], 0.9],
  ])("finds a copy in spite of %s", (_name, vary, atLeast) => {
    const fixed = (text: string[]): string[] => vary(text.map((word, at) => (at === 5 ? "17" : word)));
    expect(shareFound(600, (text) => fixed(text))).toBeGreaterThanOrEqual(atLeast);
  });

  it.each([
    ["half of it new", (text: string[]) => [...text.slice(0, 300), ...wordsOf(300)]],
    ["one word in five new", (text: string[]) => text.map((word) => (random() < 0.2 ? anyWord() : word))],
    ["nothing in common but the vocabulary", () => wordsOf(600)],
  ])("takes no text for a copy that has %s", (_name, vary) => {
    expect(shareFound(600, vary)).toBe(0);
  });

  it("does not take two tables of numbers for one", () => {
    const table = (): string => Array.from({ length: 500 }, () => Math.floor(random() * 1000)).join(" ");
    const page = (): string => `${wordsOf(200).join(" ")} ${table()}`;
    expect(isNearDuplicate(simhashOf(page()) ?? "", simhashOf(page()) ?? "")).toBe(false);
  });

  it("knows texts without spaces", () => {
    const text = "今天早上我们去公园散步天气非常好那里有很多人孩子们都很高兴大家一起玩了一个上午然后回家吃饭".repeat(2);
    expect(simhashOf(text)).toMatch(/^[0-9a-f]{16}$/);
  });

  it("has none for a text too short", () => {
    expect(simhashOf(wordsOf(MIN_SIMHASH_WORDS - 1).join(" "))).toBeUndefined();
    expect(simhashOf("")).toBeUndefined();
  });

  it("is the same wherever and whenever it is made", () => {
    expect(simhashOf(Array.from({ length: 40 }, (_word, at) => `word${"x".repeat(at % 9)}`).join(" "))).toBe(PINNED);
  });

  it("is quick", () => {
    const text = wordsOf(20_000).join(" ");
    const started = performance.now();
    simhashOf(text);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe("simhashKeys", () => {
  const hash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const text = (bits: bigint): string => bits.toString(16).padStart(16, "0");

  it("share one at least when six bits differ", () => {
    fc.assert(
      fc.property(hash, fc.uniqueArray(fc.integer({ min: 0, max: 63 }), { maxLength: 6 }), (bits, flips) => {
        const other = flips.reduce((value, bit) => value ^ (1n << BigInt(bit)), bits);
        expect(simhashDistance(text(bits), text(other))).toBe(flips.length);
        const keys = new Set(simhashKeys(text(other)));
        expect(simhashKeys(text(bits)).some((key) => keys.has(key))).toBe(true);
      }),
    );
  });

  it("are 28 whole numbers, no two alike", () => {
    const keys = simhashKeys("0000000000000000");
    expect([keys.length, new Set(keys).size, Math.max(...keys)]).toEqual([28, 28, 27 * 65_536]);
  });
});
