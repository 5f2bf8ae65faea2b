import type { IndexFilter, PageFacts, PageIdentity, SearchIndex } from "@quarry/retrieval";
import type { RankExplanation } from "../rank/explain-rank.ts";
import type { PagePart, PartSize, PartWish } from "./read-parts.ts";

/** How a query is answered; the types of the wire are mapped onto these. */
export type SearchPlan = "keyword" | "neural" | "fast" | "auto" | "deep";

/** What to look for, whose pages to look through, and how. */
export interface PageQuery {
  /** The caller's team first, then the shared one. */
  readonly teamIds: readonly string[];
  readonly query: string;
  readonly plan: SearchPlan;
  /** 1 to MAX_PAGES. */
  readonly limit: number;
  readonly filter: Omit<IndexFilter, "teamIds">;
  /** Each phrase must be in the page's text. */
  readonly includeText?: readonly string[] | undefined;
  /** None of these may be in the page's first 1,000 words. */
  readonly excludeText?: readonly string[] | undefined;
  /** Other wordings, for the plan `deep`. */
  readonly additionalQueries?: readonly string[] | undefined;
  /** Whether each page says how it came by its place. */
  readonly explain?: boolean | undefined;
}

/** A page and its place in the list. */
export interface RankedPage extends PageFacts {
  /** 0 to 1, falling. */
  readonly score: number;
  /** Whether its words or its meaning say that it is about the query; what is not is there by chance. */
  readonly isAboutQuery: boolean;
  /** Whether the query names what must be there (a phrase, a title, a site alone) and the page has it, which is no chance. */
  readonly isAsked: boolean;
  /** The page's best parts for the query, best first, as offsets into its text; may be empty. */
  readonly passages: readonly { readonly start: number; readonly end: number; readonly score: number }[];
  readonly explanation?: RankExplanation;
}

/** Something the caller should know although the search succeeded. */
export interface SearchWarning {
  readonly code: "vectors_not_ready" | "vectors_pending" | "few_results" | "query_shortened" | "words_left_out";
  readonly message: string;
}

/** The best pages, best first, and how long each stage took. */
export interface FoundPages {
  readonly pages: readonly RankedPage[];
  readonly warnings: readonly SearchWarning[];
  readonly timings: readonly StageTiming[];
}

/** How long a stage took. */
export interface StageTiming {
  readonly stage: string;
  readonly ms: number;
}

/** A page's extracted text. */
export interface PageText extends PageIdentity {
  readonly text: string;
}

/** How many pages there are to search, and of how many the vectors are still being made. */
export interface VectorBacklog {
  readonly pages: number;
  readonly waiting: number;
}

/** Looks up the backlog of what these teams search. */
export type ReadVectorBacklog = (teamIds: readonly string[]) => Promise<VectorBacklog>;

/** What finding pages needs from outside. */
export interface FindPagesDeps {
  readonly index: SearchIndex;
  /** Rejects with a retryable `unavailable` while the model loads. */
  readonly embedQuery: (text: string, signal?: AbortSignal) => Promise<Float32Array>;
  /** Those of these URLs of which a team has pages of its own. */
  readonly findOwnUrls: (teamId: string, urls: readonly string[], signal?: AbortSignal) => Promise<ReadonlySet<string>>;
  /** The stored texts of pages, in any order; pages that are gone are left out. */
  readonly readTexts: (pages: readonly PageIdentity[], signal?: AbortSignal) => Promise<readonly PageText[]>;
  /** Parts of the stored texts, in any order; pages that are gone are left out. */
  readonly readParts: (
    pages: readonly PartWish[],
    size: PartSize,
    signal?: AbortSignal,
  ) => Promise<readonly PagePart[]>;
  /** Absent: nothing is said of pages whose vectors are still being made beside others. */
  readonly vectorBacklog?: ReadVectorBacklog | undefined;
  readonly now: () => Date;
}

/** The most pages one search returns. */
export const MAX_PAGES = 100;
