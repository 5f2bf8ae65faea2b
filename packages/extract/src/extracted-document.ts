import type { PageKind } from "./html/page-kind-names.ts";
import type { JsonLdItem } from "./metadata/json-ld.ts";
import type { MicrodataItem } from "./metadata/microdata.ts";
import type { PageImage, PageLink } from "./metadata/read-links.ts";
import type { OffsetMap } from "./offset-map.ts";

/** Part of every evidence reference: a change of what `text` holds for the same bytes needs a new one. */
export const EXTRACTOR_VERSION = "quarry-extract-3";

/** A heading of the main text, with its range there. */
export interface DocumentHeading {
  readonly level: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A block of code of the main text, with its range there. */
export interface DocumentCode {
  readonly language: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What extraction makes of one page or file. `text` never changes for the same bytes and version. */
export interface ExtractedDocument {
  readonly url: string;
  readonly mediaType: string;
  readonly extractorVersion: string;
  readonly title: string | undefined;
  readonly author: string | undefined;
  /** ISO 8601, a day or a moment, as the page states it. */
  readonly publishedDate: string | undefined;
  /** What the date rests on; undefined without one. */
  readonly dateEvidence: "json-ld" | "meta" | "time" | "url" | "text" | undefined;
  /** A two-letter code. */
  readonly language: string | undefined;
  readonly siteName: string | undefined;
  readonly description: string | undefined;
  readonly favicon: string | undefined;
  readonly image: string | undefined;
  readonly canonicalUrl: string | undefined;
  readonly robots: readonly string[];
  readonly alternates: Readonly<Record<string, string>>;
  readonly feeds: readonly string[];
  readonly pageType: PageKind;
  /** The main text; evidence points at UTF-16 offsets of it. */
  readonly text: string;
  /** From `text` to the decoded source; empty for files that are not HTML. */
  readonly offsets: OffsetMap;
  readonly markdown: string;
  readonly headings: readonly DocumentHeading[];
  readonly codeBlocks: readonly DocumentCode[];
  readonly links: readonly PageLink[];
  readonly imageLinks: readonly PageImage[];
  readonly structuredData: {
    readonly jsonLd: readonly JsonLdItem[];
    readonly microdata: readonly MicrodataItem[];
    readonly openGraph: Readonly<Record<string, string>>;
  };
  /** Names of the limits that cut something off; empty for nearly all pages. */
  readonly limitsReached: readonly string[];
}
