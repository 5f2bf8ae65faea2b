import type { Analyser } from "../analysis/analyser.ts";
import { placeOf } from "../filter/domain-rule.ts";
import type { FilteredPage } from "../filter/filter-page.ts";
import { pageKey } from "./page-key.ts";
import { composePageText } from "./page-text.ts";

/** A page as the index is given it. Plain data, so that it can be sent to a thread. */
export interface PageToIndex {
  readonly teamId: string;
  readonly url: string;
  /** Grows with every change of the page; the index keeps the highest it has seen. */
  readonly version: number;
  readonly title: string | null;
  readonly headings: readonly string[];
  readonly text: string;
  /** ISO 639-1, or null when unknown. */
  readonly language: string | null;
  readonly category: string | null;
  readonly author: string | null;
  readonly siteName: string | null;
  readonly image: string | null;
  readonly favicon: string | null;
  readonly publishedAt: Date | null;
  readonly crawledAt: Date;
  /** The page that stands for this one when it is a duplicate, which is then never found itself. */
  readonly canonicalUrl: string | null;
}

/** What a hit tells of its page without asking the store. */
export interface PageFacts {
  readonly teamId: string;
  readonly url: string;
  readonly version: number;
  readonly title: string | null;
  readonly author: string | null;
  readonly siteName: string | null;
  readonly image: string | null;
  readonly favicon: string | null;
  readonly language: string | null;
  readonly category: string | null;
  readonly publishedAt: Date | null;
  readonly crawledAt: Date;
}

/** A page, or the mark that one was removed, as the index keeps it. */
export interface PageRow extends FilteredPage {
  readonly key: string;
  readonly version: number;
  readonly isRemoved: boolean;
  readonly isDuplicate: boolean;
  /** Empty for removed pages and duplicates. */
  readonly text: string;
  readonly title: string;
  readonly tokenCount: number;
  /** PageFacts as JSON, since most rows are never shown. */
  readonly facts: string;
}

/** Analyses a page. Most of the time of indexing is spent here. */
export function toPageRow(analyser: Analyser, page: PageToIndex): PageRow {
  const isDuplicate = page.canonicalUrl !== null && page.canonicalUrl !== page.url;
  const words = isDuplicate
    ? { text: "", title: "", tokenCount: 0 }
    : composePageText(analyser, { ...page, body: page.text });
  return {
    key: pageKey(page),
    teamId: page.teamId,
    url: page.url,
    version: page.version,
    isRemoved: false,
    isDuplicate,
    ...words,
    ...placeOf(page.url),
    category: page.category,
    language: page.language,
    publishedMs: page.publishedAt?.getTime() ?? null,
    crawledMs: page.crawledAt.getTime(),
    facts: packFacts(page),
  };
}

/** The mark of a removed page; `now` says until when it is kept. */
export function toRemovedRow(
  page: { readonly teamId: string; readonly url: string; readonly version: number },
  now: Date,
): PageRow {
  return {
    key: pageKey(page),
    teamId: page.teamId,
    url: page.url,
    version: page.version,
    isRemoved: true,
    isDuplicate: false,
    text: "",
    title: "",
    tokenCount: 0,
    host: "",
    sites: [],
    path: "",
    category: null,
    language: null,
    publishedMs: null,
    crawledMs: now.getTime(),
    facts: "",
  };
}

/** Reads packed facts again. */
export function unpackFacts(packed: string): PageFacts {
  const facts = JSON.parse(packed) as Omit<PageFacts, "publishedAt" | "crawledAt"> & {
    readonly publishedAt: number | null;
    readonly crawledAt: number;
  };
  return {
    ...facts,
    publishedAt: facts.publishedAt === null ? null : new Date(facts.publishedAt),
    crawledAt: new Date(facts.crawledAt),
  };
}

const MAX_SHOWN_LENGTH = 1_000;

function packFacts(page: PageToIndex): string {
  return JSON.stringify({
    teamId: page.teamId,
    url: page.url,
    version: page.version,
    title: shorten(page.title),
    author: shorten(page.author),
    siteName: shorten(page.siteName),
    image: page.image,
    favicon: page.favicon,
    language: page.language,
    category: page.category,
    publishedAt: page.publishedAt?.getTime() ?? null,
    crawledAt: page.crawledAt.getTime(),
  });
}

function shorten(text: string | null): string | null {
  return text === null || text.length <= MAX_SHOWN_LENGTH ? text : text.slice(0, MAX_SHOWN_LENGTH).toWellFormed();
}
