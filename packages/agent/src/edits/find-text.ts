import { foldPunctuation, foldQuotes } from "./fold-punctuation.ts";
import { toPattern } from "./line-pattern.ts";
import { unescapeText } from "./unescape-text.ts";

/** How a text was found; each step forgives more than the one before. */
export type MatchStep = "exact" | "trailing-space" | "indent" | "punctuation" | "escapes";

/** A place in a text, from `start` to before `end`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Where a text stands: the places of the first step that knows any, overlapping ones too. */
export interface FoundText {
  readonly step: MatchStep;
  /** Whether white space had to be forgiven. */
  readonly isByWhitespace: boolean;
  readonly spans: readonly TextSpan[];
  /** What was looked for in the end; differs from what was given where it was escaped once too often. */
  readonly search: string;
}

/** How many places are listed; a text that stands more often is no use as a search. */
export const MAX_SPANS = 1_000;
/** Shorter searches are taken by the letter: there is too little in them to be sure of. */
const MIN_FORGIVEN_CHARACTERS = 3;

/**
 * Looks for a text by the ladder: as it stands, without regard to space at the
 * ends of lines, to the depth of indentation, to the form of quotes and dashes, and at
 * last unescaped. Both texts have `\n` as their only line end.
 */
export function findText(
  text: string,
  search: string,
  options: { readonly forgivesWhitespace: boolean },
): FoundText | undefined {
  if (search === "") return undefined;
  const exact = spansOf(text, search);
  if (exact.length > 0) return { step: "exact", isByWhitespace: false, spans: exact, search };
  if (search.replace(/\s/g, "").length < MIN_FORGIVEN_CHARACTERS) return undefined;
  return (
    (options.forgivesWhitespace ? byWhitespace(text, search) : undefined) ??
    byPunctuation(text, search, options) ??
    byEscapes(text, search, options)
  );
}

function byWhitespace(text: string, search: string): FoundText | undefined {
  for (const step of ["trailing-space", "indent"] as const) {
    const spans = matchesOf(text, toPattern(search, step));
    if (spans.length > 0) return { step, isByWhitespace: true, spans, search };
  }
  return undefined;
}

function byPunctuation(
  text: string,
  search: string,
  options: { readonly forgivesWhitespace: boolean },
): FoundText | undefined {
  for (const fold of [foldPunctuation, foldQuotes]) {
    const [foldedText, foldedSearch] = [fold(text), fold(search)];
    const spans = spansOf(foldedText, foldedSearch);
    if (spans.length > 0) return { step: "punctuation", isByWhitespace: false, spans, search };
    const spaced = options.forgivesWhitespace ? byWhitespace(foldedText, foldedSearch) : undefined;
    if (spaced !== undefined) return { ...spaced, step: "punctuation", search };
  }
  return undefined;
}

function byEscapes(
  text: string,
  search: string,
  options: { readonly forgivesWhitespace: boolean },
): FoundText | undefined {
  const plain = unescapeText(search);
  if (plain === search || plain.trim() === "") return undefined;
  const spans = spansOf(text, plain);
  if (spans.length > 0) return { step: "escapes", isByWhitespace: false, spans, search: plain };
  const spaced = options.forgivesWhitespace ? byWhitespace(text, plain) : undefined;
  return spaced === undefined ? undefined : { ...spaced, step: "escapes" };
}

/** All places of a text, overlapping ones too: a search that overlaps itself says not which place it means. */
function spansOf(text: string, search: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (let at = text.indexOf(search); at !== -1 && spans.length < MAX_SPANS; at = text.indexOf(search, at + 1)) {
    spans.push({ start: at, end: at + search.length });
  }
  return spans;
}

function matchesOf(text: string, pattern: RegExp): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (let match = pattern.exec(text); match !== null && spans.length < MAX_SPANS; match = pattern.exec(text)) {
    spans.push({ start: match.index, end: match.index + match[0].length });
    pattern.lastIndex = match.index + 1; // overlapping ones too
  }
  return spans;
}
