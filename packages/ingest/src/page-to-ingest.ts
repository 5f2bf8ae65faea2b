import type { DocumentSource } from "@quarry/store";

/** What the giver of a page knows better than the page says. */
export interface GivenFacts {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly publishedAt?: Date | undefined;
  readonly category?: string | undefined;
  /** ISO 639-1 where it has one. */
  readonly language?: string | undefined;
}

/** A page to be kept: its bytes as a server sent them, or a text that is its own source. */
export interface PageToIngest {
  readonly teamId: string;
  /** In canonical form. */
  readonly url: string;
  readonly source: DocumentSource;
  readonly fetchedAt: Date;
  readonly given?: GivenFacts;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Whether the bytes are what a browser made of the page; false unless told. */
  readonly isRendered?: boolean;
  readonly content:
    | {
        readonly kind: "bytes";
        readonly bytes: Uint8Array;
        /** The Content-Type header, when there was one. */
        readonly contentType: string | undefined;
      }
    | { readonly kind: "text"; readonly text: string };
}
