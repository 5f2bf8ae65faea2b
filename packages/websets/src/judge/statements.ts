import { splitSentences } from "@quarry/retrieval";
import type { PageText } from "../evidence.ts";
import { isMarkedLine, NO_MARK, YES_MARK } from "./marks.ts";

/** Something a page says: a sentence, or a label with its value. */
export interface Statement {
  readonly page: PageText;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The label of a line such as "Founded: 2015", or of two short lines of a table or list; null for a sentence. */
  readonly label: string | null;
  /** Its place among the page's statements. */
  readonly index: number;
}

const MAX_STATEMENTS = 3_000;
const MAX_LABEL_WORDS = 5;
const MAX_VALUE_CHARACTERS = 120;

const known = new WeakMap<PageText, readonly Statement[]>();

/** What a page says, in order. Remembered for as long as the page is: every criterion and cell asks for it again. */
export function readStatements(page: PageText): readonly Statement[] {
  const remembered = known.get(page);
  if (remembered !== undefined) return remembered;
  const statements: Statement[] = [];
  const { text } = page;
  const sentences = splitSentences(text)
    .slice(0, MAX_STATEMENTS)
    .flatMap((sentence) => splitAtNumbers(text, sentence));
  const tiles = findTiles(text, sentences);
  for (const [at, { start, end }] of sentences.entries()) {
    const line = text.slice(start, end);
    if (tiles.has(at - 1)) continue;
    const own = /^([^:\n|]{2,60}?)\s*[:|]\s+\S/u.exec(line)?.[1];
    const label = own !== undefined && isLabel(own) ? own : null;
    statements.push({ page, start, end, text: line, label, index: statements.length });
    const next = sentences[at + 1];
    if (tiles.has(at) && next !== undefined) {
      const index = statements.length;
      statements.push({
        page,
        start,
        end: next.end,
        text: text.slice(start, next.end),
        label: text.slice(next.start, next.end),
        index,
      });
      continue;
    }
    if (label !== null || next === undefined || tiles.has(at + 1) || !isLabel(line.replace(/:$/, ""))) continue;
    const value = text.slice(next.start, next.end);
    if (
      !isNextLine(text.slice(end, next.start)) ||
      value.length > MAX_VALUE_CHARACTERS ||
      isMarkedLine(value) ||
      /[.!?]$/.test(value)
    )
      continue;
    statements.push({
      page,
      start,
      end: next.end,
      text: text.slice(start, next.end),
      label: line.replace(/:$/, ""),
      index: statements.length,
    });
  }
  known.set(page, statements);
  return statements;
}

type Span = { readonly start: number; readonly end: number };

/** A number alone, as a tile shows it: "1,250+", "€30m", "2 million". */
const NUMBER_LINE =
  /^[~≈<>+]?\s?(?:[$€£¥]|US\$|USD|EUR|CHF)?\s?\p{N}[\p{N}.,'’ ]{0,14}(?:\s?(?:[%+$€£]|k|m|mn|bn|million|billion|thousand)){0,2}$/iu;
const TILES_HEADING = /\b(?:numbers|figures|facts|stats|statistics|glance|impact|milestones)\b/i;

/**
 * Where numbers stand above what they count, "1,250 / employees / 17 / countries": the places of such numbers. Lines that alternate say
 * by how they begin and end which way they are meant; between two labels it is the form of the labels that tells.
 */
function findTiles(text: string, lines: readonly Span[]): ReadonlySet<number> {
  const kinds = lines.map(({ start, end }) => {
    const line = text.slice(start, end);
    return NUMBER_LINE.test(line) ? "number" : isLabel(line) ? "label" : "other";
  });
  const tiles = new Set<number>();
  for (let first = 0; first < lines.length; first += 1) {
    let last = first;
    while (kinds[last] !== "other" && alternates(text, lines, kinds, last)) last += 1;
    const labels = lines.slice(first, last + 1).filter((_, index) => kinds[first + index] === "label");
    const words = labels.map(({ start, end }) => text.slice(start, end));
    if (isNumberFirst(words, { first: kinds[first], last: kinds[last] }))
      for (let at = first; at < last; at += 1) if (kinds[at] === "number") tiles.add(at);
    first = last;
  }
  return tiles;
}

function alternates(text: string, lines: readonly Span[], kinds: readonly string[], at: number): boolean {
  const [one, next] = [lines[at], lines[at + 1]];
  if (one === undefined || next === undefined || kinds[at + 1] === "other" || kinds[at + 1] === kinds[at]) return false;
  return isNextLine(text.slice(one.end, next.start));
}

function isNumberFirst(
  labels: readonly string[],
  { first, last }: { readonly first: string | undefined; readonly last: string | undefined },
): boolean {
  const isUnit = (label: string): boolean => /^\p{Ll}/u.test(label);
  if (first === "number") return last === "label" || (labels.length > 0 && labels.every(isUnit));
  if (first !== "label" || last !== "label" || labels.length < 2) return false;
  return TILES_HEADING.test(labels[0] ?? "") || labels.slice(1).every(isUnit);
}

function isNextLine(between: string): boolean {
  return between.length <= 4 && between.includes("\n");
}

/** Unicode's rules do not end a sentence before a number or a sum of money. */
function splitAtNumbers(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): readonly { readonly start: number; readonly end: number }[] {
  const parts: { start: number; end: number }[] = [];
  let from = start;
  for (const match of text.slice(start, end).matchAll(/(?<=\p{Ll}{3}[.!?])\s+(?=[\p{N}$€£])/gu)) {
    parts.push({ start: from, end: start + match.index });
    from = start + match.index + match[0].length;
  }
  return [...parts, { start: from, end }];
}

function isLabel(text: string): boolean {
  // a marked line of a list says something itself
  if (YES_MARK.test(text) || NO_MARK.test(text)) return false;
  return text.split(/\s+/).length <= MAX_LABEL_WORDS && !/[.!?;,]/.test(text) && /\p{L}{2}/u.test(text);
}
