import { AppError } from "@quarry/base";
import type { IndexFilter } from "@quarry/retrieval";
import { intersectDomains } from "../understand/intersect-domains.ts";
import { understandQuery, type UnderstoodQuery } from "../understand/understand-query.ts";
import { finishPages } from "./finish-pages.ts";
import { MAX_PAGES, type FindPagesDeps, type FoundPages, type PageQuery, type SearchWarning } from "./page-query.ts";
import { rankByPlan } from "./rank-plans.ts";
import { startTimer } from "./start-timer.ts";

/** Pages each way of finding brings, at least: ranking needs more than it returns. */
const MIN_DEPTH = 100;
/** Words alone need no more than is returned, and a few for pages that fall out. */
const WORDS_DEPTH_SPARE = 20;
/** When texts are checked afterwards, many pages may fall out. */
const CHECKED_DEPTH = 500;

/**
 * The best pages for a query by one of the five plans. Rejects with `invalid_request` when limit or filter are out of
 * range, with a retryable `unavailable` when the plan is `neural` and vectors are not there yet; the other plans then
 * go by words alone and say so.
 */
export async function findPages(deps: FindPagesDeps, query: PageQuery, signal: AbortSignal): Promise<FoundPages> {
  checkPageLimit(query.limit);
  const timer = startTimer();
  const understood = understandQuery(query.query, deps.now());
  const filter = mergeFilter(query, understood);
  timer.lap("understand");
  if (filter === undefined) return { pages: [], warnings: shortenedWarning(understood), timings: timer.laps() };
  const ranked = await rankByPlan(
    deps,
    {
      plan: query.plan,
      understood,
      filter,
      phrases: query.includeText ?? [],
      additionalQueries: query.additionalQueries ?? [],
      depth: depthOf(query),
      explain: query.explain ?? false,
    },
    signal,
  );
  timer.lap("find");
  const finished = await finishPages(
    deps,
    ranked,
    { ...query, wantsFresh: understood.wantsFresh, isDiverse: query.plan === "auto" || query.plan === "deep" },
    signal,
  );
  timer.lap("finish");
  return {
    pages: finished.pages,
    warnings: [...shortenedWarning(understood), ...finished.warnings],
    timings: timer.laps(),
  };
}

/** Throws `invalid_request` unless the limit is 1 to MAX_PAGES. */
export function checkPageLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGES) return;
  throw new AppError("invalid_request", `limit is ${limit}; ask for 1 to ${MAX_PAGES} pages`);
}

function depthOf({ plan, limit, includeText, excludeText }: PageQuery): number {
  if ((includeText?.length ?? 0) + (excludeText?.length ?? 0) > 0) return CHECKED_DEPTH;
  return plan === "keyword" || plan === "neural" ? limit + WORDS_DEPTH_SPARE : Math.max(MIN_DEPTH, limit);
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

function shortenedWarning({ isShortened }: UnderstoodQuery): readonly SearchWarning[] {
  if (!isShortened) return [];
  return [{ code: "query_shortened", message: "the query is very long; only its beginning was searched for" }];
}
