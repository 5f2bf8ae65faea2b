import { splitSentences, type TextRange } from "./split-sentences.ts";

/** A heading and where it stands in the text. */
export interface TextHeading {
  readonly level: number;
  readonly text: string;
  readonly start: number;
}

/** A piece of a text, small enough to embed. */
export interface TextChunk extends TextRange {
  readonly number: number;
  /** What to embed: the title and the headings above the piece, then the piece itself. */
  readonly passage: string;
}

/** How a text is cut. */
export interface ChunkOptions {
  readonly title: string | null;
  /** Words a chunk has, about; signs of scripts without spaces count three quarters each. */
  readonly targetWords?: number | undefined;
}

/** The model reads 256 word pieces, about as many as 200 words. */
const DEFAULT_TARGET_WORDS = 200;
/** A new section begins a new chunk once the one so far has this share of the target. */
const SECTION_SHARE = 0.5;
/** A last chunk smaller than this share joins the one before. */
const REST_SHARE = 0.3;
const MAX_SHARE = 1.3;
/** More text than this is not embedded: 5,000 chunks. */
const MAX_CHUNKS = 5_000;
const MAX_CONTEXT_LENGTH = 300;

/**
 * Cuts a text into chunks at the ends of sentences, at headings where it can, of about equal size. Together they cover
 * all of the text but the white space between them; `headings` are in the order of the text.
 */
export function chunkText(text: string, headings: readonly TextHeading[], options: ChunkOptions): readonly TextChunk[] {
  const target = options.targetWords ?? DEFAULT_TARGET_WORDS;
  const sentences = splitSentences(text).flatMap((sentence) => cutLongSentence(text, sentence, target));
  const sizes = sentences.map(({ start, end }) => countWords(text.slice(start, end)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  // Two halves of 150 words rather than 200 and a rest of 100.
  const even = total / Math.max(1, Math.ceil(total / (target * MAX_SHARE)));
  const ranges = joinRest(groupSentences(sentences, sizes, headings, Math.min(target, even)), target);
  return ranges.slice(0, MAX_CHUNKS).map(({ start, end }, number) => {
    const context = contextOf(headings, start, options.title);
    const piece = text.slice(start, end);
    return { number, start, end, passage: context === "" ? piece : `${context}\n${piece}` };
  });
}

interface SizedRange extends TextRange {
  readonly words: number;
}

function groupSentences(
  sentences: readonly TextRange[],
  sizes: readonly number[],
  headings: readonly TextHeading[],
  target: number,
): readonly SizedRange[] {
  const starts = new Set(headings.map(({ start }) => start));
  const groups: { start: number; end: number; words: number }[] = [];
  for (const [index, { start, end }] of sentences.entries()) {
    const words = sizes[index] ?? 0;
    const last = groups.at(-1);
    const isSection = starts.has(start) && last !== undefined && last.words >= target * SECTION_SHARE;
    // Ends where it comes nearest to the target: with this sentence or without it.
    const isFull = last !== undefined && last.words + words / 2 > target;
    if (last === undefined || isSection || isFull) groups.push({ start, end, words });
    else {
      last.end = end;
      last.words += words;
    }
  }
  return groups;
}

function joinRest(groups: readonly SizedRange[], target: number): readonly SizedRange[] {
  const [before, rest] = groups.slice(-2);
  if (before === undefined || rest === undefined) return groups;
  if (rest.words >= target * REST_SHARE || before.words + rest.words > target * MAX_SHARE) return groups;
  return [...groups.slice(0, -2), { start: before.start, end: rest.end, words: before.words + rest.words }];
}

/** A list without full stops, or a script the rules do not know, may be one sentence of a thousand words. */
function cutLongSentence(text: string, sentence: TextRange, target: number): readonly TextRange[] {
  if (countWords(text.slice(sentence.start, sentence.end)) <= target * MAX_SHARE) return [sentence];
  const pieces: { start: number; end: number }[] = [];
  let words = 0;
  for (const match of text.slice(sentence.start, sentence.end).matchAll(UNITS)) {
    const start = sentence.start + match.index;
    const end = start + match[0].length;
    const last = pieces.at(-1);
    const size = countWords(match[0]);
    if (last === undefined || words + size > target) {
      pieces.push({ start, end });
      words = size;
    } else {
      last.end = end;
      words += size;
    }
  }
  return pieces;
}

/** Words as chunks count them. */
function countWords(text: string): number {
  const signs = text.match(SIGNS)?.length ?? 0;
  const words = text.match(WORDS)?.length ?? 0;
  return words + signs * SIGN_WORDS;
}

const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const SIGNS = new RegExp(`[${UNSPACED}]`, "gu");
const LETTER = `[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED}]]`;
/** Where words begin: a pattern of whole words remembers each letter, and a word of millions leaves it no room. */
const WORDS = new RegExp(`(?<!${LETTER})${LETTER}`, "gv");
/** What a long sentence may be cut between: words, or signs with their marks. Words longer than a line are cut too. */
const UNITS = new RegExp(`[${UNSPACED}]\\p{M}*|[[^\\s]--[${UNSPACED}]]{1,100}`, "gv");
const SIGN_WORDS = 0.75;

/** The title and the headings in force where a chunk begins. */
function contextOf(headings: readonly TextHeading[], start: number, title: string | null): string {
  const path: TextHeading[] = [];
  for (const heading of headings) {
    if (heading.start >= start) break;
    while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop();
    path.push(heading);
  }
  const names = [title ?? "", ...path.map(({ text }) => text)].map((name) => name.trim()).filter((name) => name !== "");
  return [...new Set(names)].join(" > ").slice(0, MAX_CONTEXT_LENGTH).toWellFormed();
}
