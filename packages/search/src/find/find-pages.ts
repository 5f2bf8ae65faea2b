import { AppError } from "@quarry/base";
import type { IndexFilter } from "@quarry/retrieval";
import { intersectDomains } from "../understand/intersect-domains.ts";
import { understandQuery, type UnderstoodQuery } from "../understand/understand-query.ts";
import { fuseByPlaces } from "../rank/fuse-places.ts";
import { keepTextConditions } from "./check-text.ts";
import { findCandidates } from "./find-candidates.ts";
import {
  MAX_PAGES,
  type FindPagesDeps,
  type FoundPages,
  type PageQuery,
  type RankedPage,
  type SearchWarning,
  type StageTiming,
} from "./page-query.ts";

/** Pages each way of finding brings, at least: ranking needs more than it returns. */
const MIN_DEPTH = 100;
/** When texts are checked afterwards, many pages may fall out. */
const CHECKED_DEPTH = 500;

/**
 * The best pages for a query by one of the five plans. Rejects with `invalid_request` when limit or filter are out of
 * range, with a retryable `unavailable` when the plan is `neural` and vectors are not there yet; the other plans then
 * go by words alone and say so.
 */
export async function findPages(deps: FindPagesDeps, query: PageQuery, signal: AbortSignal): Promise<FoundPages> {
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > MAX_PAGES) {
    throw new AppError("invalid_request", `limit is ${query.limit}; ask for 1 to ${MAX_PAGES} pages`);
  }
  const timings: StageTiming[] = [];
  const understood = understandQuery(query.query, deps.now());
  const filter = mergeFilter(query, understood);
  if (filter === undefined) return { pages: [], warnings: [], timings };
  const isChecked = (query.includeText?.length ?? 0) + (query.excludeText?.length ?? 0) > 0;
  const began = performance.now();
  const found = await findCandidates(
    deps,
    {
      words: { ...understood.words, phrases: [...(understood.words.phrases ?? []), ...(query.includeText ?? [])] },
      meaning: understood.meaning,
      by: query.plan === "keyword" ? "words" : query.plan === "neural" ? "meaning" : "both",
      hasConditions: understood.hasConditions || (query.includeText?.length ?? 0) > 0,
      filter,
      depth: isChecked ? CHECKED_DEPTH : Math.max(MIN_DEPTH, query.limit),
      isCompleted: false,
      explain: query.explain ?? false,
    },
    signal,
  );
  timings.push({ stage: "find", ms: performance.now() - began });
  const ranked = fuseByPlaces(found.candidates).map(({ candidate: { facts, meaning }, score }): RankedPage => ({
    ...facts,
    score,
    passages: meaning === undefined ? [] : [{ ...meaning.chunk, score: Math.max(0, meaning.score) }],
  }));
  const pages = await keepTextConditions(deps, ranked, query, signal);
  const warnings: SearchWarning[] = [];
  if (found.vectorsMissing !== undefined) {
    warnings.push({
      code: "vectors_not_ready",
      message: "ranked by words alone: the vectors of the index are not ready yet; search again in a moment",
    });
  }
  return { pages, warnings, timings };
}

/** The caller's filter with what the query itself says; undefined when no page can pass both. */
function mergeFilter(query: PageQuery, understood: UnderstoodQuery): IndexFilter | undefined {
  const includeDomains = intersectDomains(query.filter.includeDomains, understood.includeDomains);
  if (includeDomains?.length === 0) return undefined;
  return {
    ...query.filter,
    teamIds: query.teamIds,
    includeDomains,
    excludeDomains: [...(query.filter.excludeDomains ?? []), ...understood.excludeDomains],
  };
}
