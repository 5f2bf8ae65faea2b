/** A file that may be indexed, or is too large for that. */
export interface ScannedFile {
  readonly relative: string;
  readonly mtimeMs: number;
  readonly size: number;
}

/** What a look through a workspace found. */
export interface Scan {
  readonly files: readonly ScannedFile[];
  readonly tooLarge: readonly ScannedFile[];
  /** Set when there are more files than are indexed. */
  readonly isCut: boolean;
}
