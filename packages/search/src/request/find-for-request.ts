import type { SearchBody } from "@quarry/contract";
import { isUnsafe } from "../contents/moderation.ts";
import { keyOf } from "../find/candidate.ts";
import { warnOfFewResults } from "../find/few-results.ts";
import { findPages } from "../find/find-pages.ts";
import { MAX_PAGES, type FindPagesDeps, type FoundPages, type PageQuery, type RankedPage } from "../find/page-query.ts";
import { needsFilling, type FilledPage, type FilledPages } from "../upstream/fill-from-upstream.ts";
import { intersectDomains } from "../understand/intersect-domains.ts";
import { readAutoDate } from "./auto-date.ts";
import { fitsHint, readCategory } from "./category.ts";
import { additionalQueriesOf, TYPE_PLANS } from "./search-plan.ts";
import { runOutside, type Turns } from "./turns.ts";

/** The fields of a request that say which pages are meant. */
export type PageConditions = Pick<
  SearchBody,
  | "numResults"
  | "category"
  | "includeDomains"
  | "excludeDomains"
  | "startPublishedDate"
  | "endPublishedDate"
  | "startCrawlDate"
  | "endCrawlDate"
  | "includeText"
  | "excludeText"
>;

/** A search, as far as finding goes. */
export type FindBody = PageConditions &
  Pick<SearchBody, "query" | "type" | "additionalQueries"> &
  Partial<Pick<SearchBody, "moderation" | "compliance">>;

/** Pages found, and the date that the query itself asked for. */
export interface FoundForRequest extends FilledPages {
  readonly autoDate: Date | undefined;
}

const DEFAULT_RESULTS = 10;
/** What a page of the category that was hinted at gains. */
const HINT_BONUS = 1.1;
/** How many times as likely an answer a page is when it is from the time that the query names. */
const IN_TIME_ODDS = 3;

/** Adds to what was found too little of, from elsewhere; see `fillFromUpstream`. */
export type FillIn = (query: PageQuery, found: FoundPages, signal: AbortSignal) => Promise<FilledPages>;

/** What finding for a request needs from outside. */
export interface FindForRequestDeps extends FindPagesDeps {
  /** Absent: nobody else is asked. */
  readonly fillIn?: FillIn | undefined;
  /** Absent: the request need not share with others. */
  readonly turns?: Turns | undefined;
}

/** Finds the pages of a request: its category, the date its query names, and moderation seen to. */
export async function findForRequest(
  deps: FindForRequestDeps,
  request: { readonly teamIds: readonly string[]; readonly body: FindBody; readonly explain?: boolean },
  signal: AbortSignal,
): Promise<FoundForRequest> {
  const { body, teamIds } = request;
  const limit = limitOf(body);
  const type = body.type ?? "auto";
  const query: PageQuery = {
    teamIds,
    query: body.query,
    plan: TYPE_PLANS[type].plan,
    limit: body.moderation === true ? Math.min(limit * 2, MAX_PAGES) : limit,
    filter: filterOf(body),
    includeText: body.includeText,
    excludeText: body.excludeText,
    additionalQueries: additionalQueriesOf(type, body.additionalQueries),
    explain: request.explain,
  };
  const search = (one: PageQuery): Promise<FoundPages> =>
    findByCategory(one, body.category, (wish) => findPages(deps, wish, signal));
  const autoDate = hasPublishedDates(body) ? undefined : readAutoDate(body.query, deps.now());
  const own = autoDate === undefined ? await search(query) : await findFromDate(query, autoDate, search);
  // Nobody else knows our categories, and some questions may not leave the house.
  const { fillIn } = deps;
  const isFilled =
    fillIn !== undefined &&
    readCategory(body.category) === undefined &&
    body.compliance === undefined &&
    request.explain !== true &&
    needsFilling(query, own);
  const found = isFilled ? await runOutside(deps.turns, () => fillIn(query, own, signal)) : own;
  const pages = body.moderation === true ? await leaveUnsafeOut(deps, found.pages, signal) : found.pages;
  return { ...found, pages: pages.slice(0, limit), autoDate };
}

/** How many results a request wants. */
export function limitOf({ numResults }: Pick<PageConditions, "numResults">): number {
  return numResults ?? DEFAULT_RESULTS;
}

/** What a request says about pages, in the index's words. */
export function filterOf(body: PageConditions): PageQuery["filter"] {
  return {
    includeDomains: body.includeDomains,
    excludeDomains: body.excludeDomains,
    publishedFrom: body.startPublishedDate,
    publishedTo: body.endPublishedDate,
    crawledFrom: body.startCrawlDate,
    crawledTo: body.endCrawlDate,
  };
}

/** A query or a similar page: whatever has a limit and a filter. */
interface Filtered {
  readonly limit: number;
  readonly filter: PageQuery["filter"];
}

/**
 * Finds pages of a category: those that were given it and those of its sites, together. A word that is no category
 * lifts the pages that have it, and leaves nothing out.
 */
export async function findByCategory<Q extends Filtered>(
  query: Q,
  category: string | undefined,
  find: (query: Q) => Promise<FoundPages>,
): Promise<FoundPages> {
  if (category === undefined) return find(query);
  const known = readCategory(category);
  if (known === undefined) {
    const found = await find(query);
    return { ...found, pages: byScore(found.pages.map((page) => (fitsHint(page, category) ? lift(page) : page))) };
  }
  const sites = intersectDomains(query.filter.includeDomains, known.sites) ?? [];
  const [named, ofSites] = await Promise.all([
    find({ ...query, filter: { ...query.filter, categories: known.names } }),
    sites.length === 0 ? undefined : find({ ...query, filter: { ...query.filter, includeDomains: sites } }),
  ]);
  return mergeFound(ofSites === undefined ? [named] : [named, ofSites], query.limit);
}

/**
 * Pages from a date on are preferred, not required: the words that name it may mean something else, and many pages have
 * no date. All are compared in one list, because scores follow from the best page of theirs.
 */
async function findFromDate(
  query: PageQuery,
  from: Date,
  search: (query: PageQuery) => Promise<FoundPages>,
): Promise<FoundPages> {
  const [all, dated] = await Promise.all([
    search({ ...query, limit: MAX_PAGES }),
    search({ ...query, filter: { ...query.filter, publishedFrom: from } }),
  ]);
  const known = new Set(all.pages.map(keyOf));
  const lowest = all.pages.at(-1)?.score ?? 1;
  const further = dated.pages
    .filter((page) => !known.has(keyOf(page)))
    .map((page) => ({ ...page, score: Math.min(page.score, lowest) }));
  const pages = [...all.pages, ...further].map((page) =>
    page.publishedAt !== null && page.publishedAt >= from ? { ...page, score: preferred(page.score) } : page,
  );
  return mergeFound([{ ...all, pages }], query.limit);
}

/** A likelihood whose odds are so many times as high. */
function preferred(score: number): number {
  return (IN_TIME_ODDS * score) / (1 + (IN_TIME_ODDS - 1) * score);
}

function mergeFound(found: readonly FoundPages[], limit: number): FoundPages {
  const once = new Map<string, RankedPage>();
  for (const page of byScore(found.flatMap((one) => one.pages))) {
    if (!once.has(keyOf(page))) once.set(keyOf(page), page);
  }
  const pages = [...once.values()].slice(0, limit);
  // What each found alone may be few, and enough together.
  const others = found.flatMap((one) => one.warnings).filter(({ code }) => code !== "few_results");
  const warnings = new Map(others.map((warning) => [warning.code, warning]));
  return {
    pages,
    warnings: [...warnings.values(), ...warnOfFewResults(pages, { limit })],
    timings: found.flatMap(({ timings }) => timings),
  };
}

async function leaveUnsafeOut(
  deps: FindPagesDeps,
  pages: readonly FilledPage[],
  signal: AbortSignal,
): Promise<readonly FilledPage[]> {
  const texts = new Map((await deps.readTexts(pages, signal)).map((page) => [keyOf(page), page.text]));
  return pages.filter((page) => !isUnsafe({ ...page, text: texts.get(keyOf(page)) ?? "" }));
}

function hasPublishedDates({ startPublishedDate, endPublishedDate }: PageConditions): boolean {
  return startPublishedDate !== undefined || endPublishedDate !== undefined;
}

function lift(page: RankedPage): RankedPage {
  return { ...page, score: Math.min(1, page.score * HINT_BONUS) };
}

function byScore(pages: readonly RankedPage[]): readonly RankedPage[] {
  return [...pages].sort((one, other) => other.score - one.score);
}
