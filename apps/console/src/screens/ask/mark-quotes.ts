import { SMALL_WORDS } from "./small-words.ts";

/** A range of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A piece of text, marked or not. */
export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Where quotes stand in a text: the ranges that are known, else by looking for each quote word by word. */
export function findQuotes(text: string, quotes: readonly string[], known: readonly Range[] = []): readonly Range[] {
  const ranges =
    known.length > 0 ? known : quotes.map((quote) => findQuote(text, quote)).filter((one) => one !== undefined);
  return mergeRanges(ranges.filter(({ start, end }) => start >= 0 && start < end && end <= text.length));
}

/** Cuts a text into paragraphs at its line breaks, and each into marked and unmarked pieces. */
export function markParagraphs(text: string, ranges: readonly Range[]): readonly (readonly Piece[])[] {
  const paragraphs: Piece[][] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    const start = at;
    const end = at + line.length;
    at = end + 1;
    if (line.trim() === "") continue;
    const pieces: Piece[] = [];
    let from = start;
    for (const range of ranges) {
      const markStart = Math.max(range.start, start);
      const markEnd = Math.min(range.end, end);
      if (markStart >= markEnd) continue;
      if (markStart > from) pieces.push({ text: text.slice(from, markStart), isMarked: false });
      pieces.push({ text: text.slice(markStart, markEnd), isMarked: true });
      from = markEnd;
    }
    if (from < end) pieces.push({ text: text.slice(from, end), isMarked: false });
    paragraphs.push(pieces);
  }
  return paragraphs;
}

/** Marks the telling words of a question in a short text, whole words and their beginnings. */
export function markWords(text: string, question: string): readonly Piece[] {
  const words = (question.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
    .filter((word) => !SMALL_WORDS.has(word))
    .map(escapeForPattern);
  if (words.length === 0) return [{ text, isMarked: false }];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})[\\p{L}\\p{N}]{0,3}(?![\\p{L}\\p{N}])`, "giu");
  const ranges = [...text.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const pieces: Piece[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    if (start > from) pieces.push({ text: text.slice(from, start), isMarked: false });
    pieces.push({ text: text.slice(start, end), isMarked: true });
    from = end;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMarked: false });
  return pieces;
}

/** White space may differ between a quote and its source, nothing else. */
function findQuote(text: string, quote: string): Range | undefined {
  const words = quote.split(/\s+/).filter((word) => word !== "" && word !== "…" && word !== "...");
  if (words.length === 0) return undefined;
  const match = new RegExp(words.map(escapeForPattern).join("\\s+"), "u").exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}

function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last !== undefined && range.start <= last.end) {
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    } else merged.push(range);
  }
  return merged;
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
