import type { IndexFilter } from "./filter/index-filter.ts";
import type { PageIdentity } from "./pages/page-key.ts";
import type { PageFacts, PageToIndex } from "./pages/page-row.ts";
import type { ScoreParts } from "./pages/score-page.ts";
import type { TermStatistics } from "./pages/bm25.ts";
import type { WordQuery } from "./query/word-query.ts";

/** A page and the version meant. */
export interface PageVersion extends PageIdentity {
  readonly version: number;
}

/** A version the index has, with how many chunks of it have vectors. */
export interface IndexedVersion extends PageVersion {
  readonly chunkCount: number;
}

/** A part of a list of versions; `next` is null at the end. A part may be short, even empty, before that. */
export interface VersionList {
  readonly versions: readonly IndexedVersion[];
  readonly next: string | null;
}

/** What became of one page of a write. `stale`: a newer version is there, or was removed; `unchanged`: this very one is. */
export interface WriteOutcome extends PageVersion {
  readonly status: "written" | "unchanged" | "stale";
}

/** The vectors of a page's chunks; several calls may bring those of one page. */
export interface PageChunks extends PageVersion {
  readonly chunks: readonly {
    readonly number: number;
    /** UTF-16 offsets into the page's extracted text. */
    readonly start: number;
    readonly end: number;
    readonly vector: Float32Array;
  }[];
}

/** A page found by words. */
export interface WordHit extends PageFacts {
  /** BM25 over weighted fields: above 0, without upper bound; compare within one query only. */
  readonly score: number;
  /** When it was asked for. */
  readonly explanation?: ScoreParts;
}

/** A page found by meaning, with its nearest chunk. */
export interface VectorHit extends PageFacts {
  /** Cosine of the two vectors: -1 to 1. */
  readonly score: number;
  readonly chunk: { readonly number: number; readonly start: number; readonly end: number };
}

/** How many hits, at most MAX_HITS; `explain` says how each word hit came by its score. */
export interface FindOptions {
  readonly limit: number;
  readonly explain?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The state of an index, for people and for health checks. */
export interface IndexStats {
  readonly format: string;
  readonly pages: number;
  readonly chunks: number;
  readonly languages: readonly { readonly language: string; readonly pages: number }[];
  /** Pages searched in memory, whose table has no index yet. */
  readonly unindexedPages: number;
  /** Chunks that are compared one by one until the next optimisation. */
  readonly unindexedChunks: number;
  readonly pageTables: number;
  readonly model: string;
  readonly diskBytes: number;
  readonly cacheBytes: number;
}

/** What an optimisation did. */
export interface OptimizeReport {
  readonly sealedTables: number;
  readonly mergedTables: number;
  readonly droppedTables: number;
  readonly hasIndexedChunks: boolean;
}

/**
 * Finds pages by words and by vectors, under filters. The store is the truth and the index follows it: every write
 * carries the page's version, an older one never replaces a newer one, the same one twice is one. A write is durable
 * and searchable by this process when its promise resolves. One process (or thread) writes; any number read.
 */
export interface SearchIndex {
  /** Adds or replaces pages, in batches of 400; the outcomes follow the input's order. */
  readonly addPages: (pages: readonly PageToIndex[], signal?: AbortSignal) => Promise<readonly WriteOutcome[]>;
  /** Adds vectors of pages that are there in that very version; those of others are `stale`. Replaces chunks of the same number. */
  readonly addChunks: (pages: readonly PageChunks[], signal?: AbortSignal) => Promise<readonly WriteOutcome[]>;
  /** Removes pages of a lower version, words and vectors, and remembers that for an hour. */
  readonly remove: (pages: readonly PageVersion[], signal?: AbortSignal) => Promise<readonly WriteOutcome[]>;
  /** The best pages by words, best first. */
  readonly findByWords: (query: WordQuery, filter: IndexFilter, options: FindOptions) => Promise<readonly WordHit[]>;
  /** The pages with the nearest chunks, nearest first. */
  readonly findByVector: (
    vector: Float32Array,
    filter: IndexFilter,
    options: FindOptions,
  ) => Promise<readonly VectorHit[]>;
  /** How many pages pass a filter, duplicates not counted. */
  readonly count: (filter: IndexFilter) => Promise<number>;
  /** What the index has of these pages; those it has not are left out. */
  readonly findVersions: (pages: readonly PageIdentity[]) => Promise<readonly IndexedVersion[]>;
  /** All it has, part by part, in an order of its own; `after` is the `next` of the part before. */
  readonly listVersions: (part: {
    readonly after?: string | undefined;
    readonly limit: number;
  }) => Promise<VersionList>;
  /** How common words are, in tokens of the index's analyser. */
  readonly termStatistics: () => TermStatistics;
  /** Does all that is due; with `full`, leaves as few tables as the size allows. Runs by itself otherwise. */
  readonly optimize: (options?: {
    readonly full?: boolean | undefined;
    readonly signal?: AbortSignal | undefined;
  }) => Promise<OptimizeReport>;
  readonly stats: () => Promise<IndexStats>;
  /** Copies the index, as it is at one moment, into an empty directory. For indexes in directories only. */
  readonly snapshot: (directory: string) => Promise<void>;
  /** Learns what another process has written; readers do so by themselves. */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The most hits one search returns. */
export const MAX_HITS = 1_000;
