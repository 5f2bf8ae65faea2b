import { PLAIN_TEXT } from "../analysis/split-words.ts";
import { plainBoundaries } from "./plain-boundaries.ts";

/** A range of a text in UTF-16 offsets; `end` is the first offset behind it. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The sentences of a text, in order, without the white space around them; a line break ends one too. Goes by the rules
 * of Unicode, and mends where those stop after an abbreviation, an initial or a number.
 */
export function splitSentences(text: string): readonly TextRange[] {
  const sentences: { start: number; end: number }[] = [];
  for (const { start, end } of segments(text)) {
    const last = sentences.at(-1);
    if (last !== undefined && !isBoundary(text, last, start)) last.end = end;
    else sentences.push({ start, end });
  }
  return sentences;
}

/** What Unicode's rules take for sentences, trimmed, line by line. */
function* segments(text: string): Generator<TextRange> {
  for (const line of text.matchAll(LINES)) {
    if (PLAIN_TEXT.test(line[0])) yield* plainSegments(line[0], line.index);
    else yield* segmentsByWindow(line[0], line.index);
  }
}

function* plainSegments(line: string, lineStart: number): Generator<TextRange> {
  let start = 0;
  for (const end of [...plainBoundaries(line), line.length]) {
    const segment = trimmed(line.slice(start, end), lineStart + start);
    if (segment !== undefined) yield segment;
    start = end;
  }
}

/** Asks the segmenter about one window of a long line at a time: its own time grows with the square of the length. */
function* segmentsByWindow(line: string, lineStart: number): Generator<TextRange> {
  for (let offset = 0; offset < line.length;) {
    const window = nextWindow(line, offset);
    const found = Array.from(segmenter.segment(window));
    const isLast = offset + window.length >= line.length;
    const whole = isLast || found.length === 1 ? found : found.slice(0, -1); // the last may go on
    for (const { segment, index } of whole) {
      const sentence = trimmed(segment, lineStart + offset + index);
      if (sentence !== undefined) yield sentence;
    }
    offset += whole.reduce((sum, { segment }) => sum + segment.length, 0);
  }
}

/** The segment's range in the text without the white space around it; undefined when there is nothing else. */
function trimmed(segment: string, at: number): TextRange | undefined {
  const start = at + (segment.length - segment.trimStart().length);
  const end = at + segment.trimEnd().length;
  return end > start ? { start, end } : undefined;
}

/** Ends at a space if it can, never between the halves of a character. */
function nextWindow(line: string, offset: number): string {
  const window = line.slice(offset, offset + WINDOW_LENGTH);
  if (offset + window.length >= line.length) return window;
  const space = window.lastIndexOf(" ");
  if (space > WINDOW_LENGTH / 2) return window.slice(0, space + 1);
  return /[\ud800-\udbff]$/.test(window) ? window.slice(0, -1) : window;
}

/** Not with a plus: for that V8 may remember every character of a line of millions, and has no room for so many. */
const LINES = /[^\n\r\u2028\u2029][^\n\r\u2028\u2029]*/g;
const WINDOW_LENGTH = 2_000;
const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
/** Words that end in a dot in the middle of a sentence, in the languages most pages are in. */
const ABBREVIATIONS = new Set(
  "dr mr mrs ms prof rev gen sen rep gov capt lt col sgt st jr sr inc ltd co corp vs etc al fig figs eq eqs ch sec vol no nos pp ed eds cf approx dept est jan feb mar apr jun jul aug sep sept oct nov dec bzw usw ca nr bd hrsg abb evtl ggf inkl vgl mme mlle art av sra srta ud uds núm pág tel".split(
    " ",
  ),
);
const LAST_WORD = /(?<word>[\p{L}\p{N}.]*)\.["')\]”’]*$/u;
/** Enough to see the last word of a sentence. */
const TAIL_LENGTH = 40;

function isBoundary(text: string, last: TextRange, next: number): boolean {
  if (/[\n\r\u2028\u2029]/.test(text.slice(last.end, next))) return true;
  const word = LAST_WORD.exec(text.slice(Math.max(last.start, last.end - TAIL_LENGTH), last.end))?.groups?.["word"];
  if (word === undefined) return true;
  return !/^[\p{Ll}]/u.test(text.slice(next, next + 2)) && !isShortened(word);
}

/** Whether a word, without the dot behind it, is an abbreviation or an initial. */
function isShortened(word: string): boolean {
  return ABBREVIATIONS.has(word.toLowerCase()) || /^\p{Lu}$/u.test(word) || /^(?:\p{L}\.)+\p{L}$/u.test(word);
}

/** What is longer is seldom one sentence. */
const LONG_CHARACTERS = 400;
const STOPS = /[.!?]["')\]”’]*(?<gap>\s+)/g;

/**
 * As `splitSentences`, for showing: what is too long for one sentence ends at every stop. In a text without capitals,
 * where no stop is followed by one, the rules find no end and a whole section is one sentence.
 */
export function splitShownSentences(text: string): readonly TextRange[] {
  return splitSentences(text).flatMap((sentence) =>
    sentence.end - sentence.start <= LONG_CHARACTERS ? [sentence] : cutAtStops(text, sentence),
  );
}

function cutAtStops(text: string, { start, end }: TextRange): readonly TextRange[] {
  const pieces: TextRange[] = [];
  let from = start;
  for (const { 0: stop, index, groups } of text.slice(start, end).matchAll(STOPS)) {
    const next = start + index + stop.length;
    const until = next - (groups?.["gap"]?.length ?? 0);
    const tail = text.slice(Math.max(from, until - TAIL_LENGTH), until);
    const word = LAST_WORD.exec(tail)?.groups?.["word"] ?? "";
    if (isShortened(word) || /^\p{L}$/u.test(word)) continue;
    pieces.push({ start: from, end: until });
    from = next;
  }
  return [...pieces, { start: from, end }];
}
