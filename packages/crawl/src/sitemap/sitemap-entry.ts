import { canonicalUrl } from "../url/canonical-url.ts";
import type { LanguageAlternate } from "../url/choose-canonical.ts";
import { parseWebDate } from "../web-date.ts";

/** How often a sitemap says that a page changes. */
export type ChangeFrequency = "always" | "hourly" | "daily" | "weekly" | "monthly" | "yearly" | "never";

/** A page that a sitemap or a feed names. */
export interface SitemapPage {
  readonly kind: "page";
  /** Canonical. */
  readonly url: string;
  readonly lastModified?: Date;
  readonly changeFrequency?: ChangeFrequency;
  /** 0 to 1, beside the site's other pages. */
  readonly priority?: number;
  /** Given by news sitemaps and feeds. */
  readonly title?: string;
  readonly publishedAt?: Date;
  readonly language?: string;
  readonly alternates?: readonly LanguageAlternate[];
}

/** Another sitemap that an index names. */
export interface SitemapReference {
  readonly kind: "sitemap";
  /** Canonical. */
  readonly url: string;
  readonly lastModified?: Date;
}

/** Something about a file that its reader should know; the pages before it stand. */
export interface SitemapNote {
  readonly kind: "note";
  readonly code:
    | "malformed-xml"
    | "ended-early"
    | "not-a-sitemap"
    | "bad-locations"
    | "too-large"
    | "too-many-entries"
    | "too-deep"
    | "corrupt"
    | "unreachable"
    | "too-many-sitemaps"
    | "nested-too-deep"
    | "other-site";
  readonly message: string;
}

/** What comes out of a sitemap, in its order. */
export type SitemapEvent = SitemapPage | SitemapReference | SitemapNote;

/** The fields of one entry as text, by name; `alternate` links apart. */
export interface RawEntry {
  readonly kind: "page" | "sitemap";
  readonly fields: ReadonlyMap<string, string>;
  readonly alternates: readonly LanguageAlternate[];
}

/** Reads one entry; undefined when its location is no URL of the web. */
export function readEntry(raw: RawEntry, base: string): SitemapPage | SitemapReference | undefined {
  const location = raw.fields.get("location") ?? "";
  const url = location === "" ? undefined : canonicalUrl(location, base);
  if (url === undefined) return undefined;
  const lastModified = parseWebDate(raw.fields.get("modified") ?? "");
  const modified = lastModified === undefined ? {} : { lastModified };
  if (raw.kind === "sitemap") return { kind: "sitemap", url, ...modified };

  const changeFrequency = CHANGE_FREQUENCIES.find((word) => word === raw.fields.get("frequency")?.toLowerCase());
  const priority = readPriority(raw.fields.get("priority"));
  const publishedAt = parseWebDate(raw.fields.get("published") ?? "");
  const title = raw.fields.get("title");
  const language = raw.fields.get("language");
  return {
    kind: "page",
    url,
    ...modified,
    ...(changeFrequency === undefined ? {} : { changeFrequency }),
    ...(priority === undefined ? {} : { priority }),
    ...(title === undefined ? {} : { title }),
    ...(publishedAt === undefined ? {} : { publishedAt }),
    ...(language === undefined ? {} : { language }),
    ...(raw.alternates.length === 0 ? {} : { alternates: raw.alternates }),
  };
}

const CHANGE_FREQUENCIES: readonly ChangeFrequency[] = [
  "always",
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
];

function readPriority(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{0,3}(?:[.,]\d{1,6})?$/.test(text) || text === "") return undefined;
  return Math.min(Number(text.replace(",", ".")), 1);
}
