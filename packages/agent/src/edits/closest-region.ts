import { foldQuotes } from "./fold-punctuation.ts";
import { similarityOf } from "./similarity.ts";

/** Lines of a file that are like a search; `firstLine` counts from 1. */
export interface Region {
  readonly firstLine: number;
  readonly lineCount: number;
  /** From 0 to 1. */
  readonly similarity: number;
}

/** A word on more lines than this says little about where a search belongs. */
const MAX_LINES_OF_WORD = 200;
/** How many places are compared in full. */
const MAX_CANDIDATES = 12;
/** For how many of them it is tried whether a line more or less fits better. */
const MAX_REFINED = 5;
/** How many lines of a search are compared; a longer one is known by its beginning. */
const MAX_SEARCH_LINES = 80;
/** How many lines more or less than the search a region may have. */
const SIZES = [0, 1, -1, 2, -2];

/** The regions most like a search, best first, none overlapping a better one. Nothing in common gives none. */
export function closestRegions(lines: readonly string[], searched: readonly string[]): readonly Region[] {
  const wanted = trimBlankLines(searched).slice(0, MAX_SEARCH_LINES).map(foldQuotes);
  if (wanted.length === 0 || lines.length === 0) return [];
  const rough = candidateStarts(lines, wanted)
    .map((start) => ({
      start,
      similarity: similarityOf(wanted, lines.slice(start, start + wanted.length).map(foldQuotes)),
    }))
    .sort((a, b) => b.similarity - a.similarity || a.start - b.start);
  const regions = rough.slice(0, MAX_REFINED).map(({ start }) => bestAt(lines, wanted, start));
  const best: Region[] = [];
  for (const region of regions.sort((a, b) => b.similarity - a.similarity || a.firstLine - b.firstLine)) {
    if (!best.some((other) => overlaps(other, region))) best.push(region);
  }
  return best;
}

/** Where the search may begin, by the rare words that its lines share with the file's: each votes for one start. */
function candidateStarts(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const linesOf = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    for (const word of wordsOf(line)) {
      const known = linesOf.get(word);
      if (known === undefined) linesOf.set(word, [index]);
      else known.push(index);
    }
  }
  const votes = new Map<number, number>();
  for (const [offset, line] of wanted.entries()) {
    for (const word of wordsOf(line)) {
      const at = linesOf.get(word) ?? [];
      if (at.length > MAX_LINES_OF_WORD) continue;
      for (const index of at) {
        const start = Math.max(0, index - offset);
        votes.set(start, (votes.get(start) ?? 0) + 1 / at.length);
      }
    }
  }
  return [...votes]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MAX_CANDIDATES)
    .map(([start]) => start);
}

function bestAt(lines: readonly string[], wanted: readonly string[], start: number): Region {
  let best: Region | undefined;
  for (const shift of [0, -1, 1]) {
    for (const size of SIZES) {
      const [first, count] = [start + shift, wanted.length + size];
      if (first < 0 || count < 1 || first + count > lines.length) continue;
      const similarity = similarityOf(wanted, lines.slice(first, first + count).map(foldQuotes));
      if (best === undefined || similarity > best.similarity) {
        best = { firstLine: first + 1, lineCount: count, similarity };
      }
      if (similarity === 1) return best;
    }
  }
  const rest = lines.length - start;
  return best ?? { firstLine: start + 1, lineCount: rest, similarity: similarityOf(wanted, lines.slice(start)) };
}

function overlaps(a: Region, b: Region): boolean {
  return a.firstLine < b.firstLine + b.lineCount && b.firstLine < a.firstLine + a.lineCount;
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.toLowerCase().match(/[\p{L}\p{N}_]{2,}|[^\s\p{L}\p{N}_]{2,}/gu));
}

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return lines.slice(first, last + 1);
}
