/** One result, as far as the console reads it. */
export interface SearchResult {
  readonly url: string;
  readonly title: string | null;
  readonly publishedDate?: string;
  readonly author?: string | null;
  readonly score?: number;
  readonly highlights?: readonly string[];
  readonly quarry?: {
    readonly snapshotId: string | null;
    readonly highlights?: readonly { readonly start: number; readonly end: number }[];
  };
}

/** Something worth knowing beside a reply. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

/** Reply of POST /search and POST /findSimilar. */
export interface SearchReply {
  readonly requestId: string;
  readonly results: readonly SearchResult[];
  readonly resolvedSearchType?: string;
  readonly searchTime?: number;
  readonly costDollars?: { readonly total: number };
  readonly warnings?: readonly Warning[];
}

/** Why one result ranks where it does. */
export interface Explanation {
  readonly rank: number;
  readonly url: string;
  readonly score: number;
  readonly sentence: string;
  readonly placeByWords: number | null;
  readonly placeByMeaning: number | null;
  readonly parts: readonly { readonly name: string; readonly value: number; readonly points: number }[];
  readonly words: readonly { readonly token: string; readonly score: number; readonly weight: number }[];
}

/** Reply of POST /quarry/v1/explain. */
export interface ExplainReply {
  readonly results: readonly Explanation[];
  readonly timings: readonly { readonly stage: string; readonly ms: number }[];
}
