import { createAnalyser } from "@quarry/retrieval";

/** Holds a cache, so one for all who judge in this thread. */
const analyser = createAnalyser();

/** A word of a text: its stem and its place. */
export interface StemmedWord {
  readonly stem: string;
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?/gu;

const MAX_REMEMBERED = 20_000;
const remembered = new Map<string, readonly StemmedWord[]>();

/** The words of a text with their stems; remembered, since every criterion asks for the same sentences. */
export function stemWords(text: string): readonly StemmedWord[] {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const words = readWords(text);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(text, words);
  return words;
}

function readWords(text: string): readonly StemmedWord[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    stem: analyser.analyseText(match[0], "en")[0] ?? match[0].toLowerCase(),
    word: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The stems of a text's words that tell something: stop words left out. */
export function contentStems(text: string): readonly string[] {
  return analyser
    .analyseQuery(text, ["en"])
    .filter(({ role }) => role !== "phrase")
    .flatMap(({ tokens }) => tokens.slice(0, 1));
}

/**
 * As `contentStems`, but only what a page may have as a word: of "sign-on" the analyser gives "signon", too, which is none where
 * "sign-on" is written.
 */
export function writtenStems(text: string): readonly string[] {
  const written = new Set(stemWords(text).map(({ stem }) => stem));
  return contentStems(text).filter((stem) => written.has(stem));
}

/** Whether two stems are forms of one word: "certifi" and "certif", "manufactur" and "manufacturer". */
export function sameStem(one: string, other: string): boolean {
  if (one === other) return true;
  const shorter = Math.min(one.length, other.length);
  if (shorter < 5 || /\d/.test(one) || /\d/.test(other)) return false;
  let common = 0;
  while (common < shorter && one.charCodeAt(common) === other.charCodeAt(common)) common += 1;
  return common >= 5 && common >= Math.max(one.length, other.length) - 4 && common >= shorter - 1;
}

/** Whether a text has all of these stems as words; none are in no text. */
export function hasStems(text: string, stems: readonly string[]): boolean {
  const words = stemWords(text);
  return stems.length > 0 && stems.every((stem) => words.some((word) => sameStem(word.stem, stem)));
}
