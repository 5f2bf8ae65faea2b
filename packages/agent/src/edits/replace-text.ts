import { describeMiss, type Miss } from "./describe-miss.ts";
import { findText, type FoundText, type MatchStep, type TextSpan } from "./find-text.ts";
import { fitReplacement } from "./fit-replacement.ts";
import { fuzzyReplace } from "./fuzzy-replace.ts";
import { lineAt, readSource, unifyLineEnds, type SourceText } from "./source-text.ts";

/** Lines by number, from 1, the last one included. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** A search and what to put in its place. */
export interface Replacement {
  readonly search: string;
  readonly replacement: string;
  readonly allowsMany: boolean;
  readonly forgivesWhitespace: boolean;
  readonly allowsFuzzy: boolean;
  /** Only places inside one of these count; none given: all of the file. */
  readonly within: readonly LineSpan[];
}

/** What became of a replacement. Whatever is not certain changes nothing and says what stands in the file. */
export type ReplaceOutcome =
  | {
      readonly kind: "replaced";
      readonly text: string;
      readonly step: MatchStep | "fuzzy";
      readonly isByWhitespace: boolean;
      readonly places: readonly LineSpan[];
    }
  | { readonly kind: "ambiguous"; readonly places: readonly LineSpan[] }
  | { readonly kind: "outside-ranges"; readonly places: readonly LineSpan[] }
  /** It was found, but how deep a changed line belongs cannot be told. */
  | { readonly kind: "unclear-indent"; readonly place: LineSpan; readonly miss: Miss }
  | { readonly kind: "missing"; readonly miss: Miss };

/** Replaces a text of a file, by the ladder of find-text.ts, and last by likeness where that is allowed. Untouched line ends stay. */
export function replaceText(original: string, edit: Replacement): ReplaceOutcome {
  const source = readSource(original);
  const search = unifyLineEnds(edit.search);
  const replacement = unifyLineEnds(edit.replacement);
  const found = findText(source.text, search, edit);
  if (found === undefined) return replaceFuzzily(original, source, { ...edit, search, replacement });
  const all = found.spans;
  const spans = all.filter((span) => isWithin(linesOfSpan(source, span), edit.within));
  if (spans.length === 0) return { kind: "outside-ranges", places: placesOf(source, all) };
  if (spans.length > 1 && !edit.allowsMany) return { kind: "ambiguous", places: placesOf(source, spans) };
  return replaceSpans(original, source, { found: { ...found, spans: apart(spans) }, replacement });
}

function replaceSpans(
  original: string,
  source: SourceText,
  edit: { readonly found: FoundText; readonly replacement: string },
): ReplaceOutcome {
  const { found } = edit;
  const pieces: string[] = [];
  let at = 0;
  for (const span of found.spans) {
    const region = source.text.slice(span.start, span.end);
    const fitted = fitReplacement(region, found, edit.replacement);
    if (fitted === undefined) {
      const place = linesOfSpan(source, span);
      return { kind: "unclear-indent", place, miss: describeMiss(region.split("\n"), found.search.split("\n")) };
    }
    const [start, end] = [source.toOriginal(span.start), source.toOriginal(span.end)];
    pieces.push(original.slice(at, start), withLineEndsOf(original, start, fitted));
    at = end;
  }
  pieces.push(original.slice(at));
  return {
    kind: "replaced",
    text: pieces.join(""),
    step: found.step,
    isByWhitespace: found.isByWhitespace,
    places: placesOf(source, found.spans),
  };
}

function replaceFuzzily(original: string, source: SourceText, edit: Replacement): ReplaceOutcome {
  const lines = source.text.split("\n");
  const searched = linesOfEdit(edit.search);
  const wanted = linesOfEdit(edit.replacement);
  // A replacement that adds or drops the last line end needs to know where exactly it goes.
  const isWhole = edit.search.endsWith("\n") === edit.replacement.endsWith("\n");
  const fuzzy = edit.allowsFuzzy && isWhole ? fuzzyReplace(lines, { searched, wanted }) : undefined;
  const place = fuzzy && { first: fuzzy.region.firstLine, last: fuzzy.region.firstLine + fuzzy.region.lineCount - 1 };
  if (fuzzy === undefined || place === undefined || !isWithin(place, edit.within)) {
    return { kind: "missing", miss: describeMiss(lines, searched) };
  }
  const start = source.toOriginal(source.lineStarts[place.first - 1] ?? 0);
  const next = source.lineStarts[place.last];
  const end = next === undefined ? original.length : source.toOriginal(next - 1);
  const put = withLineEndsOf(original, start, fuzzy.lines.join("\n"));
  const text = original.slice(0, start) + put + original.slice(end);
  return { kind: "replaced", text, step: "fuzzy", isByWhitespace: false, places: [place] };
}

function linesOfEdit(text: string): readonly string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** New lines end as the line does in which they begin, else as the one before. */
function withLineEndsOf(original: string, start: number, text: string): string {
  if (!original.includes("\r\n")) return text;
  const next = original.indexOf("\n", start);
  const near = next === -1 ? original.lastIndexOf("\n") : next;
  return near > 0 && original[near - 1] === "\r" ? text.replaceAll("\n", "\r\n") : text;
}

/** Of places that overlap, the first. */
function apart(spans: readonly TextSpan[]): readonly TextSpan[] {
  const kept: TextSpan[] = [];
  for (const span of spans) if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  return kept;
}

function placesOf(source: SourceText, spans: readonly TextSpan[]): readonly LineSpan[] {
  return spans.map((span) => linesOfSpan(source, span));
}

function linesOfSpan(source: SourceText, span: TextSpan): LineSpan {
  return { first: lineAt(source, span.start), last: lineAt(source, Math.max(span.start, span.end - 1)) };
}

function isWithin(place: LineSpan, within: readonly LineSpan[]): boolean {
  return within.length === 0 || within.some(({ first, last }) => first <= place.first && place.last <= last);
}
