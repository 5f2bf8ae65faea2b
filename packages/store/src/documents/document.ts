/** The owner of documents that every team may read: the sample, and what an administrator imports for all. */
export const SHARED_TEAM = "shared";

/** Where a document came from. */
export type DocumentSource = "crawl" | "api" | "import" | "sample" | "upstream";

/** What a page says beside its text, as extraction found it. */
export interface DocumentDetails {
  readonly links?: readonly { readonly url: string; readonly text: string }[];
  readonly imageLinks?: readonly { readonly url: string; readonly alt: string }[];
  readonly codeBlocks?: readonly { readonly text: string; readonly language: string }[];
  readonly headings?: readonly { readonly level: number; readonly text: string; readonly start: number }[];
  readonly structuredData?: readonly unknown[];
  /** The page in other languages, by language tag (hreflang). */
  readonly alternates?: Readonly<Record<string, string>>;
  /** Whether a browser made the page: its snapshot is the document after its scripts ran. */
  readonly rendered?: boolean;
}

/** What is known of a page beside where it is and when it was read. */
export interface DocumentFacts {
  readonly title: string | null;
  readonly author: string | null;
  readonly publishedAt: Date | null;
  readonly language: string | null;
  readonly category: string | null;
  readonly siteName: string | null;
  readonly description: string | null;
  readonly favicon: string | null;
  readonly image: string | null;
}

/** A page as a team knows it; its text lies in the extracted text it names. */
export interface StoredDocument extends DocumentFacts {
  readonly teamId: string;
  readonly url: string;
  readonly version: number;
  readonly snapshotId: string;
  readonly extractorVersion: string;
  readonly wordCount: number;
  readonly details: DocumentDetails;
  /** The page that stands for this one when it is a duplicate. */
  readonly canonicalUrl: string | null;
  readonly source: DocumentSource;
  readonly crawledAt: Date;
  readonly changedAt: Date;
  readonly visitCount: number;
  readonly changeCount: number;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A row of `documents` that is not a tombstone, with the columns of DOCUMENT_COLUMNS. */
export interface DocumentRow {
  readonly team_id: string;
  readonly url: string;
  readonly version: number;
  readonly snapshot_id: string;
  readonly extractor_version: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly published_at: Date | null;
  readonly language: string | null;
  readonly category: string | null;
  readonly site_name: string | null;
  readonly description: string | null;
  readonly favicon: string | null;
  readonly image: string | null;
  readonly word_count: number;
  readonly details: DocumentDetails;
  readonly canonical_url: string | null;
  readonly source: DocumentSource;
  readonly crawled_at: Date;
  readonly changed_at: Date;
  readonly visit_count: number;
  readonly change_count: number;
  readonly etag: string | null;
  readonly last_modified: string | null;
}

/** What every reader of `documents AS doc` selects. */
export const DOCUMENT_COLUMNS = `doc.team_id, doc.url, doc.version, doc.snapshot_id, doc.extractor_version, doc.title,
  doc.author, doc.published_at, doc.language, doc.category, doc.site_name, doc.description, doc.favicon, doc.image,
  doc.word_count, doc.details, doc.canonical_url, doc.source, doc.crawled_at, doc.changed_at, doc.visit_count,
  doc.change_count, doc.etag, doc.last_modified`;

/** A row in the words of the program. */
export function toDocument(row: DocumentRow): StoredDocument {
  return {
    teamId: row.team_id,
    url: row.url,
    version: row.version,
    snapshotId: row.snapshot_id,
    extractorVersion: row.extractor_version,
    title: row.title,
    author: row.author,
    publishedAt: row.published_at,
    language: row.language,
    category: row.category,
    siteName: row.site_name,
    description: row.description,
    favicon: row.favicon,
    image: row.image,
    wordCount: row.word_count,
    details: row.details,
    canonicalUrl: row.canonical_url,
    source: row.source,
    crawledAt: row.crawled_at,
    changedAt: row.changed_at,
    visitCount: row.visit_count,
    changeCount: row.change_count,
    etag: row.etag,
    lastModified: row.last_modified,
  };
}
