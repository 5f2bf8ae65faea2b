/**
 * What extraction spends at most on one page. Whatever lies past a limit is
 * left out, and the limit's name is told in `ExtractedDocument.limitsReached`.
 */
export interface ExtractLimits {
  /** Characters of HTML read; about 16 MiB of ASCII. */
  readonly maxSourceChars: number;
  /** Elements and text pieces kept in memory. */
  readonly maxNodes: number;
  /** Deeper elements become children of the element at this depth. */
  readonly maxDepth: number;
  /** Blocks of text that are scored. */
  readonly maxBlocks: number;
  /** Characters of extracted text and, separately, of Markdown. */
  readonly maxTextChars: number;
  readonly maxLinks: number;
  readonly maxImages: number;
  /** Characters of JSON-LD read, all scripts together. */
  readonly maxStructuredChars: number;
  readonly maxStructuredItems: number;
  /** Pages of a PDF, slides of a deck, chapters of a book. */
  readonly maxParts: number;
  /** Bytes that an archive (DOCX, PPTX, EPUB) may unpack to. */
  readonly maxUnpackedBytes: number;
  /** Bytes of a binary document handed in. */
  readonly maxDocumentBytes: number;
}

/** Enough for any page a person would read, small enough for a worker of 512 MiB. */
export const DEFAULT_LIMITS: ExtractLimits = {
  maxSourceChars: 16 * 1024 * 1024,
  maxNodes: 400_000,
  maxDepth: 400,
  maxBlocks: 40_000,
  maxTextChars: 2_000_000,
  maxLinks: 5_000,
  maxImages: 1_000,
  maxStructuredChars: 1_000_000,
  maxStructuredItems: 200,
  maxParts: 2_000,
  maxUnpackedBytes: 200 * 1024 * 1024,
  maxDocumentBytes: 100 * 1024 * 1024,
};
