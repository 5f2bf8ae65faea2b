/** A stored page as the judges read it: its extracted text and what the page says of itself. */
export interface PageText {
  readonly url: string;
  readonly title: string | null;
  /** The immutable extracted text that evidence points into. */
  readonly text: string;
  /** Null when the page asks not to be kept. */
  readonly snapshotId: string | null;
  /** ISO 8601. */
  readonly publishedDate?: string | null | undefined;
  readonly author?: string | null | undefined;
  /** A two-letter code. */
  readonly language?: string | null | undefined;
  readonly siteName?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly image?: string | null | undefined;
  readonly favicon?: string | null | undefined;
  /** Links of the main text, for cells that ask for an address. */
  readonly links?: readonly { readonly url: string; readonly text: string }[] | undefined;
  /** `{format: "json-ld" | "microdata" | "open-graph", item}`, as the store keeps it in a document's details. */
  readonly structured?: readonly unknown[] | undefined;
}

/** A quote with its place: `text.slice(start, end) === snippet` of the page it names. */
export interface Evidence {
  readonly url: string;
  readonly title: string | null;
  readonly snippet: string;
  readonly snapshotId: string | null;
  /** UTF-16 offsets into the page's extracted text. */
  readonly start: number;
  readonly end: number;
}

/** Longer quotes are cut at a word: a reference points, it does not reprint. */
export const MAX_QUOTE_CHARACTERS = 600;

/** The quote at a place of a page, without the white space around it; undefined where there is nothing to quote. */
export function quoteAt(page: PageText, start: number, end: number): Evidence | undefined {
  let from = Math.max(0, start);
  let to = Math.min(page.text.length, end, from + MAX_QUOTE_CHARACTERS);
  if (to < Math.min(page.text.length, end)) {
    const space = page.text.lastIndexOf(" ", to);
    if (space > from + MAX_QUOTE_CHARACTERS / 2) to = space;
  }
  // half a character is no quote
  if (/[\udc00-\udfff]/.test(page.text.charAt(from))) from += 1;
  if (/[\ud800-\udbff]/.test(page.text.charAt(to - 1))) to -= 1;
  while (from < to && /\s/u.test(page.text.charAt(from))) from += 1;
  while (to > from && /\s/u.test(page.text.charAt(to - 1))) to -= 1;
  if (to <= from) return undefined;
  const { url, title, snapshotId } = page;
  return { url, title, snippet: page.text.slice(from, to), snapshotId, start: from, end: to };
}

/** Whether a quote really stands in the page where it says. Asked of every reference before it is written. */
export function checkEvidence(page: PageText, evidence: Evidence): boolean {
  return (
    evidence.url === page.url &&
    evidence.snapshotId === page.snapshotId &&
    evidence.snippet !== "" &&
    evidence.end - evidence.start === evidence.snippet.length &&
    page.text.slice(evidence.start, evidence.end) === evidence.snippet
  );
}

/**
 * Where words that somebody claims to have read stand in a page: white space, case and the kind of quotation marks may
 * differ, the words may not. Undefined when they do not stand there.
 */
export function findQuote(page: PageText, words: string): Evidence | undefined {
  return findPattern(page, patternOf(words), "iu");
}

/** Where a value stands in a page as words of its own: not "art" within "smart", nor "IT" as "it". */
export function findWords(page: PageText, words: string): Evidence | undefined {
  const pattern = patternOf(words);
  const isLowered = /\p{Ll}/u.test(words);
  return findPattern(page, pattern && `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, isLowered ? "iu" : "u");
}

function patternOf(words: string): string {
  const parts = plainQuote(words).split(" ").filter(Boolean);
  return parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/['"]/g, MARKS)).join("\\s+");
}

function findPattern(page: PageText, pattern: string, flags: string): Evidence | undefined {
  const found = pattern === "" ? null : new RegExp(pattern, flags).exec(page.text);
  return found === null ? undefined : quoteAt(page, found.index, found.index + found[0].length);
}

const MARKS = "['\"‘’“”„«»‹›`´]";

/** A quote as a model writes it: in marks of its own, cut off by dots. */
function plainQuote(words: string): string {
  return words
    .slice(0, MAX_QUOTE_CHARACTERS)
    .replaceAll(/[‘’“”„«»‹›`´]/g, "'")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/^[\s"'….]+|(?<![\s"'…])[\s"'…]+$/g, "")
    .trim();
}
