import { isUrl } from "@quarry/base";
import type { Analyser } from "../analysis/analyser.ts";

/** The parts of a page that are searched by words. */
export const PAGE_FIELDS = ["title", "headings", "place", "body"] as const;

/** One of them; `place` is host and path. */
export type PageField = (typeof PAGE_FIELDS)[number];

/** How much a word counts by where it stands. Changing these means building every index anew (INDEX_FORMAT). */
export const FIELD_WEIGHTS: Readonly<Record<PageField, number>> = { title: 3, headings: 2, place: 2, body: 1 };

/** Stands between fields, so that no phrase runs from one into the next; every page has it, no text can. */
export const FIELD_SEPARATOR = "|";

/** What is read of a longer page; a novel has 100,000 words. */
export const MAX_BODY_TOKENS = 100_000;
const MAX_HEADINGS_TOKENS = 2_000;
const MAX_TITLE_TOKENS = 100;
const MAX_PLACE_TOKENS = 40;

/** The words of a page, ready for the index. */
export interface PageText {
  /**
   * All fields as one line of tokens: title | headings | place | body | repeats. A field of weight 3 stands there three
   * times, so that one BM25 over the line is BM25 over weighted fields (BM25F): the engine prunes a search of one
   * column, and cannot prune a sum over four.
   */
  readonly text: string;
  readonly title: string;
  readonly tokenCount: number;
}

/** What `composePageText` reads of a page. */
export interface PageWords {
  readonly url: string;
  readonly title: string | null;
  readonly headings: readonly string[];
  readonly body: string;
  readonly language: string | null;
}

/** Analyses a page's fields and lays them out for the index. */
export function composePageText(analyser: Analyser, page: PageWords): PageText {
  const analyse = (text: string, limit: number): readonly string[] =>
    analyser.analyseText(text, page.language).slice(0, limit);
  const fields: Readonly<Record<PageField, readonly string[]>> = {
    title: analyse(page.title ?? "", MAX_TITLE_TOKENS),
    headings: analyse(page.headings.join("\n"), MAX_HEADINGS_TOKENS),
    place: analyse(wordsOfUrl(page.url), MAX_PLACE_TOKENS),
    body: analyse(page.body, MAX_BODY_TOKENS),
  };
  const once: string[] = [];
  const repeats: string[] = [];
  let tokenCount = 0;
  for (const field of PAGE_FIELDS) {
    const tokens = fields[field];
    const line = tokens.length === 0 ? FIELD_SEPARATOR : `${tokens.join(" ")} ${FIELD_SEPARATOR}`;
    once.push(line);
    for (let copy = 1; copy < FIELD_WEIGHTS[field]; copy += 1) repeats.push(line);
    tokenCount += FIELD_WEIGHTS[field] * (tokens.length + 1);
  }
  return { text: [...once, ...repeats].join(" "), title: fields.title.join(" "), tokenCount };
}

/** The fields of a composed line again, without the repeats. */
export function splitPageText(text: string): Readonly<Record<PageField, readonly string[]>> {
  const fields: Record<PageField, string[]> = { title: [], headings: [], place: [], body: [] };
  let current = 0;
  for (const token of text.split(" ")) {
    if (token === FIELD_SEPARATOR) current += 1;
    const field = PAGE_FIELDS[current];
    if (field === undefined) break;
    if (token !== FIELD_SEPARATOR) fields[field].push(token);
  }
  return fields;
}

/** Host and path as words: "docs.python.org/3/library/asyncio-task.html" is about asyncio tasks. */
function wordsOfUrl(url: string): string {
  if (!isUrl(url)) return "";
  const { hostname, pathname } = new URL(url);
  const path = pathname.replace(/\.(?:html?|php|aspx?|jsp|pdf|md)$/i, "").replace(/\/(?:index|default)$/i, "");
  return `${hostname.replace(/^www\./, "")} ${decodePath(path).replaceAll(/[/+,;:=~!@$()]/g, " ")}`;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path; // a stray % is part of the name
    throw error;
  }
}
