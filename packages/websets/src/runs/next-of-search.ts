import type { WebsetSearch } from "@quarry/store";
import { candidateLimit } from "./search-progress.ts";

/** Why a search ends by itself. */
export type EndReason = "count" | "exhausted" | "limit" | "caps" | "failed";

/** What a running search does once a unit of it is done. */
export type NextOfSearch =
  | { readonly kind: "wait" }
  | { readonly kind: "plan" }
  | { readonly kind: "collect" }
  | { readonly kind: "end"; readonly reason: EndReason };

type SearchState = Pick<
  WebsetSearch,
  "plan" | "step" | "candidates" | "analyzed" | "found" | "count" | "wantsRecall"
> & {
  /** How many candidates are the webset's own items, or rows of an import: the limit is for what is found. */
  readonly given: number;
  /** Whether those are being judged: all of them must be. */
  readonly isJudgingGiven: boolean;
};

/**
 * Decides what comes next. Pure, so that whoever takes over after a crash decides the same. The candidates of one step are
 * judged before the next is collected: so no more is read than the count needs. A search that estimates recall goes
 * on past its count, for the estimate is made from what all formulations find.
 */
export function nextOfSearch(search: SearchState): NextOfSearch {
  if (search.plan === null) return { kind: "plan" };
  const isFull = search.found >= search.count && !search.wantsRecall;
  if (isFull && !search.isJudgingGiven) return { kind: "end", reason: "count" };
  if (search.candidates > search.analyzed) return { kind: "wait" };
  if (search.candidates - search.given >= candidateLimit(search.count)) {
    return { kind: "end", reason: search.found >= search.count ? "count" : "limit" };
  }
  if (search.step < search.plan.length) return { kind: "collect" };
  return { kind: "end", reason: search.found >= search.count ? "count" : "exhausted" };
}
