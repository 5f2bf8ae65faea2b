import type { PageReading } from "@quarry/ingest";
import type { DocumentDetails, DocumentWithText } from "@quarry/store";

/** A page with all that contents are made of, whether it was stored or fetched just now. */
export interface ContentPage {
  readonly teamId: string;
  readonly url: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly publishedAt: Date | null;
  readonly siteName: string | null;
  readonly description: string | null;
  readonly image: string | null;
  readonly favicon: string | null;
  readonly category: string | null;
  /** ISO 639-1. */
  readonly language: string | null;
  readonly details: DocumentDetails;
  /** Offsets of evidence count this text; `markdown` is the same for people. */
  readonly text: string;
  readonly markdown: string;
  /** Null when the page asks not to be kept. */
  readonly snapshotId: string | null;
  readonly extractorVersion: string;
  readonly mediaType: string;
  readonly charset: string | null;
  /** When it was last read. */
  readonly readAt: Date;
}

/** A stored document as a page. */
export function pageOfDocument({ document, text, markdown, mediaType, charset }: DocumentWithText): ContentPage {
  return {
    teamId: document.teamId,
    url: document.url,
    title: document.title,
    author: document.author,
    publishedAt: document.publishedAt,
    siteName: document.siteName,
    description: document.description,
    image: document.image,
    favicon: document.favicon,
    category: document.category,
    language: document.language,
    details: document.details,
    text,
    markdown,
    snapshotId: document.snapshotId,
    extractorVersion: document.extractorVersion,
    mediaType,
    charset,
    readAt: document.crawledAt,
  };
}

/** A page that was fetched just now. */
export function pageOfReading(
  reading: PageReading,
  where: {
    readonly teamId: string;
    readonly url: string;
    readonly snapshotId: string | null;
    readonly category: string | null;
    readonly readAt: Date;
  },
): ContentPage {
  return {
    ...where,
    title: reading.title ?? null,
    author: reading.author ?? null,
    publishedAt: reading.publishedAt ?? null,
    siteName: reading.siteName ?? null,
    description: reading.description ?? null,
    image: reading.image ?? null,
    favicon: reading.favicon ?? null,
    language: reading.language ?? null,
    details: reading.details,
    text: reading.text,
    markdown: reading.markdown,
    extractorVersion: reading.extractorVersion,
    mediaType: reading.mediaType,
    charset: reading.charset ?? null,
  };
}
