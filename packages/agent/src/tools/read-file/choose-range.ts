import { cutText } from "../../workspace/cut-text.ts";

/** What a caller said about the lines they want. */
export interface AskedRange {
  readonly isEntire: boolean;
  /** A file longer than the default may be read whole. */
  readonly isEntireAllowed: boolean;
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly maxLines: number | undefined;
  readonly maxCharacters: number | undefined;
  readonly minLines: number | undefined;
}

/** The lines they get, counted from 1, and how that differs from what they wanted. */
export interface ChosenRange {
  readonly contents: string;
  readonly first: number;
  readonly last: number;
  readonly isWhole: boolean;
  /** The whole file was wanted, and a range was given. */
  readonly didDowngrade: boolean;
  /** Nothing was said of the range. */
  readonly didSetDefault: boolean;
  readonly didShortenLines: boolean;
  readonly didShortenCharacters: boolean;
}

/** How many lines are read when nothing is said of a range. */
export const DEFAULT_LINES = 250;
/** What one range may have at most unless the caller says less; a whole file that is allowed may have more lines. */
export const MAX_LINES = 2_000;
export const MAX_CHARACTERS = 100_000;

/** Chooses the lines to show. A range past the end gives what there is, and says so by its real bounds. */
export function chooseRange(lines: readonly string[], asked: AskedRange): ChosenRange {
  const hasRange = asked.first !== undefined || asked.last !== undefined;
  const wantsAll = asked.isEntire && !hasRange;
  const isTooLong = lines.length > (asked.maxLines ?? DEFAULT_LINES);
  const didDowngrade = wantsAll && isTooLong && !asked.isEntireAllowed;
  const didSetDefault = !hasRange && !asked.isEntire;

  const first = Math.max(1, asked.first ?? 1);
  const wanted =
    wantsAll && !didDowngrade
      ? lines.length
      : (asked.last ?? (hasRange ? lines.length : first + (asked.maxLines ?? DEFAULT_LINES) - 1));
  const [from, to] = widen(Math.min(first, lines.length + 1), Math.min(wanted, lines.length), {
    least: hasRange ? (asked.minLines ?? 0) : 0,
    total: lines.length,
  });
  // What was asked for holds even against a file that may be read whole.
  const most = asked.maxLines ?? (wantsAll && asked.isEntireAllowed ? Number.POSITIVE_INFINITY : MAX_LINES);
  const last = Math.min(to, from + most - 1);
  const text = lines.slice(from - 1, last).join("\n");
  const contents = cutText(text, Math.min(asked.maxCharacters ?? MAX_CHARACTERS, MAX_CHARACTERS));
  const didShortenCharacters = contents.length < text.length;
  const shownLast = didShortenCharacters ? from + contents.split("\n").length - 1 : last;
  return {
    contents,
    first: from,
    last: shownLast,
    isWhole: from === 1 && last === lines.length && !didShortenCharacters,
    didDowngrade,
    didSetDefault,
    didShortenLines: last < to,
    didShortenCharacters,
  };
}

/** Takes lines after the range, then before it, until it has enough or there are no more. */
function widen(
  first: number,
  last: number,
  of: { readonly least: number; readonly total: number },
): readonly [number, number] {
  const end = Math.min(of.total, Math.max(last, first + of.least - 1));
  const start = of.least === 0 ? first : Math.max(1, Math.min(first, end - of.least + 1));
  return [start, end];
}
