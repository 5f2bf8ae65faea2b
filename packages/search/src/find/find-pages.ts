import { AppError } from "@quarry/base";
import { conditionsOf, createAnalyser, type IndexFilter } from "@quarry/retrieval";
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

const analyser = createAnalyser();

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
  if (filter === undefined) return { pages: [], warnings: warnOfReading(understood), timings: timer.laps() };
  const search = {
    plan: query.plan,
    understood,
    filter,
    phrases: query.includeText ?? [],
    additionalQueries: query.additionalQueries ?? [],
    depth: depthOf(query),
    explain: query.explain ?? false,
  };
  const [ranked, backlog] = await Promise.all([
    rankByPlan(deps, search, signal),
    query.plan === "keyword" ? undefined : deps.vectorBacklog?.(query.teamIds),
  ]);
  timer.lap("find");
  const finished = await finishPages(
    deps,
    ranked,
    {
      ...query,
      wantsFresh: understood.wantsFresh,
      isDiverse: query.plan === "auto" || query.plan === "deep",
      isCertain: isCertain(query, understood),
      backlog,
    },
    signal,
  );
  timer.lap("finish");
  return {
    pages: finished.pages,
    warnings: [...warnOfReading(understood), ...finished.warnings],
    timings: timer.laps(),
  };
}

/** Throws `invalid_request` unless the limit is 1 to MAX_PAGES. */
export function checkPageLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGES) return;
  throw new AppError("invalid_request", `limit is ${limit}; ask for 1 to ${MAX_PAGES} pages`);
}

/** A deep search widens over pages that lack some of the words joined by AND. */
function isCertain({ plan }: PageQuery, { words, isSiteAlone }: UnderstoodQuery): boolean {
  const met = plan === "deep" ? { ...words, operator: "or" as const } : words;
  return isSiteAlone || conditionsOf(analyser, met).isPositive;
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

/** What the caller may not expect of how the query was read. */
function warnOfReading({ isShortened, wordsLeftOut }: UnderstoodQuery): readonly SearchWarning[] {
  const warnings: SearchWarning[] = [];
  if (isShortened) {
    warnings.push({
      code: "query_shortened",
      message: "the query is very long; only its beginning was searched for",
    });
  }
  if (wordsLeftOut.length > 0) {
    const named = wordsLeftOut.slice(0, MAX_NAMED_WORDS);
    const signs = named.map((word) => `-${word}`).join(" ");
    const quoted = named.map((word) => `"-${word}"`).join(" ");
    warnings.push({
      code: "words_left_out",
      message: `pages with ${named.join(", ")} were left out, as ${signs} says; to search for it, quote it: ${quoted}`,
    });
  }
  return warnings;
}

const MAX_NAMED_WORDS = 5;
