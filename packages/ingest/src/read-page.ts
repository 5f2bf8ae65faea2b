import type { AppError } from "@quarry/base";
import type { DocumentDetails } from "@quarry/store";
import type { PageToIngest } from "./page-to-ingest.ts";

/** What reading a page gave: its text, what it says of itself, and the way back into its source. */
export interface PageReading {
  readonly mediaType: string;
  readonly charset?: string | undefined;
  readonly extractorVersion: string;
  readonly text: string;
  readonly markdown: string;
  /** As `packOffsets` packs it; null where the source is not text, or is the text itself. */
  readonly sourceMap: Uint8Array | null;
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly publishedAt?: Date | undefined;
  readonly language?: string | undefined;
  readonly siteName?: string | undefined;
  readonly description?: string | undefined;
  readonly favicon?: string | undefined;
  readonly image?: string | undefined;
  readonly declaredCanonical?: string | undefined;
  /** Meta robots directives, as written. */
  readonly robots: readonly string[];
  /** Every link of the page, for a crawl to follow. */
  readonly links: readonly { readonly url: string; readonly nofollow: boolean }[];
  readonly details: DocumentDetails;
}

/** A page as its reader gets it. */
export interface PageInput {
  readonly url: string;
  readonly content: PageToIngest["content"];
  readonly now: Date;
}

/** A reading, or why there is none. */
export type ReadOutcome =
  { readonly kind: "read"; readonly reading: PageReading } | { readonly kind: "unreadable"; readonly error: AppError };

/** Reads one page. Whatever the page is comes back as an outcome; rejects only when `signal` aborts. */
export type ReadPage = (page: PageInput, signal?: AbortSignal) => Promise<ReadOutcome>;
