import type { FindPagesDeps } from "./page-query.ts";
import { keyOf } from "./candidate.ts";

/** What a page's text must and must not hold. */
export interface TextConditions {
  readonly includeText?: readonly string[] | undefined;
  readonly excludeText?: readonly string[] | undefined;
}

/** `excludeText` reads so many words of a page. */
const EXCLUDE_WORDS = 1_000;
/** Texts read at once. */
const BATCH_PAGES = 50;

/** Whether a text meets the conditions; capitals, white space and the width of letters make no difference. */
export function meetsTextConditions(text: string, { includeText, excludeText }: TextConditions): boolean {
  const whole = (includeText?.length ?? 0) === 0 ? "" : toPlain(text);
  if (!(includeText ?? []).every((phrase) => holdsPhrase(whole, toPlain(phrase)))) return false;
  if ((excludeText?.length ?? 0) === 0) return true;
  const lead = toPlain(firstWords(text, EXCLUDE_WORDS));
  return !(excludeText ?? []).some((phrase) => holdsPhrase(lead, toPlain(phrase)));
}

/**
 * The first `limit` pages, in order, whose stored texts meet the conditions. Reads no more texts than it must; a page
 * whose text is gone does not count.
 */
export async function keepTextConditions<Page extends { readonly teamId: string; readonly url: string }>(
  { readTexts }: Pick<FindPagesDeps, "readTexts">,
  pages: readonly Page[],
  conditions: TextConditions & { readonly limit: number },
  signal: AbortSignal,
): Promise<readonly Page[]> {
  if ((conditions.includeText?.length ?? 0) + (conditions.excludeText?.length ?? 0) === 0) {
    return pages.slice(0, conditions.limit);
  }
  const kept: Page[] = [];
  for (let start = 0; start < pages.length && kept.length < conditions.limit; start += BATCH_PAGES) {
    signal.throwIfAborted();
    const batch = pages.slice(start, start + BATCH_PAGES);
    const texts = new Map((await readTexts(batch, signal)).map((page) => [keyOf(page), page.text]));
    for (const page of batch) {
      const text = texts.get(keyOf(page));
      if (text !== undefined && meetsTextConditions(text, conditions)) kept.push(page);
    }
  }
  return kept.slice(0, conditions.limit);
}

/** A phrase counts where words begin and end, unless its script has no spaces. */
function holdsPhrase(text: string, phrase: string): boolean {
  if (phrase === "") return true;
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    if (
      !joins(text.slice(Math.max(0, at - 2), at), phrase.slice(0, 2)) &&
      !joins(phrase.slice(-2), text.slice(end, end + 2))
    )
      return true;
  }
  return false;
}

/** Whether two neighbouring pieces of text are one word. */
function joins(before: string, after: string): boolean {
  return SPACED_END.test(before) && SPACED_BEGIN.test(after);
}

const SPACED =
  "[[\\p{L}\\p{N}\\p{M}]--[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]]";
const SPACED_END = new RegExp(`${SPACED}$`, "v");
const SPACED_BEGIN = new RegExp(`^${SPACED}`, "v");

function toPlain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(SPACES, " ")
    .trim();
}

/** Not with a plus: for that V8 may remember every character of a run of millions, and has no room for so many. */
const SPACES = /\s\s*/g;
const WORDS = /\S\S*/g;

function firstWords(text: string, count: number): string {
  let seen = 0;
  for (const { index } of text.matchAll(WORDS)) {
    if (seen === count) return text.slice(0, index);
    seen += 1;
  }
  return text;
}
