import { AppError, isUrl } from "@quarry/base";
import { canonicalUrl } from "@quarry/crawl";
import { matchesIndexFilter } from "@quarry/retrieval";
import { keepTextConditions } from "../find/check-text.ts";
import type { FindPagesDeps, FoundPages, PageQuery, RankedPage, StageTiming } from "../find/page-query.ts";
import type { UpstreamName, UpstreamProvider, UpstreamResult } from "./upstream-provider.ts";

/** A page of the list; `upstream` names the provider of one that was not in the index. */
export interface FilledPage extends RankedPage {
  readonly upstream?: UpstreamName;
}

/** What was found and what was filled in. */
export interface FilledPages {
  readonly pages: readonly FilledPage[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly timings: readonly StageTiming[];
}

/** What filling in needs from outside. */
export interface FillDeps extends Pick<FindPagesDeps, "readTexts" | "now"> {
  /** None: nothing is ever asked of anybody. */
  readonly providers: readonly UpstreamProvider[];
  /**
   * Fetches a page and gives it to the store as one that came from upstream; true once it is there. Ends by itself after
   * `timeoutMs`, also when nobody waits for it any more.
   */
  readonly keepPage: (page: {
    readonly teamId: string;
    readonly url: string;
    readonly timeoutMs: number;
  }) => Promise<boolean>;
}

/** So many results are enough, or as many as were asked for if those are fewer. */
const ENOUGH = 5;
/** How long a caller waits for the pages themselves; those that come later are kept all the same. */
const PATIENCE_MS = 4_000;
const FETCH_TIMEOUT_MS = 10_000;

/**
 * Asks the configured providers when our own index has too little, and puts what they name behind our own results,
 * each with its provider's name. Their pages are fetched and indexed for the team, so that the next search finds them here.
 * A provider that fails is a warning. Rejects only when `signal` aborts.
 */
export async function fillFromUpstream(
  deps: FillDeps,
  query: PageQuery,
  found: FoundPages,
  signal: AbortSignal,
): Promise<FilledPages> {
  const [teamId] = query.teamIds;
  if (deps.providers.length === 0 || teamId === undefined || !needsFilling(query, found)) return found;
  const began = performance.now();
  const { lists, warnings } = await askAll(deps.providers, query, signal);
  const own = found.pages.slice(0, roomForOwn(query, found));
  const known = new Set(own.map(({ url }) => url));
  const candidates = mergeLists(lists)
    .map(({ result, name }) => toPage(result, { name, teamId, now: deps.now() }))
    .filter((page) => page !== undefined)
    .filter((page) => !known.has(page.url) && known.add(page.url))
    .filter((page) => matchesIndexFilter(page, { ...query.filter, teamIds: [teamId] }))
    .slice(0, query.limit - own.length);
  await keepAll(deps, candidates, signal);
  const kept = await keepTextConditions(deps, candidates, { ...query, limit: query.limit - own.length }, signal);
  const least = own.at(-1)?.score ?? 0.5;
  const filled = kept.map((page, place) => ({ ...page, score: (least * (kept.length - place)) / (kept.length + 1) }));
  return {
    pages: [...own, ...filled],
    warnings: [...found.warnings, ...warnings, ...tellOf(filled)],
    timings: [...found.timings, { stage: "upstream", ms: performance.now() - began }],
  };
}

/** Whether a query is one that others may be asked, and too little was found for it. */
export function needsFilling(query: PageQuery, found: FoundPages): boolean {
  return isTooLittle(query, found) && canBeAsked(query);
}

function isTooLittle({ limit }: PageQuery, { pages, warnings }: FoundPages): boolean {
  return pages.length < Math.min(limit, ENOUGH) || warnings.some(({ code }) => code === "few_results");
}

/** Poor results give way to better ones, but not all of them: ours may be what nobody else has. */
function roomForOwn({ limit }: PageQuery, { pages, warnings }: FoundPages): number {
  return warnings.some(({ code }) => code === "few_results") ? Math.ceil(limit / 2) : pages.length;
}

/** Categories, languages, dates of crawls and lists of URLs are our own: nobody else's pages can meet them. */
function canBeAsked({ filter }: PageQuery): boolean {
  const { categories, languages, includeUrls, crawledFrom, crawledTo } = filter;
  return [categories, languages, includeUrls, crawledFrom, crawledTo].every((condition) => condition === undefined);
}

interface NamedList {
  readonly name: UpstreamName;
  readonly results: readonly UpstreamResult[];
}

async function askAll(
  providers: readonly UpstreamProvider[],
  query: PageQuery,
  signal: AbortSignal,
): Promise<{ readonly lists: readonly NamedList[]; readonly warnings: FilledPages["warnings"] }> {
  const asked = {
    query: query.query,
    limit: query.limit,
    includeDomains: query.filter.includeDomains ?? [],
    excludeDomains: query.filter.excludeDomains ?? [],
    publishedFrom: query.filter.publishedFrom,
    publishedTo: query.filter.publishedTo,
  };
  const outcomes = await Promise.allSettled(providers.map(({ search }) => search(asked, signal)));
  signal.throwIfAborted();
  const lists: NamedList[] = [];
  const warnings: { code: string; message: string }[] = [];
  for (const [place, { name }] of providers.entries()) {
    const outcome = outcomes[place];
    if (outcome?.status === "fulfilled") lists.push({ name, results: outcome.value });
    else {
      const { message } = AppError.from(outcome?.reason);
      warnings.push({ code: "upstream_failed", message: `${message}; these results are without it` });
    }
  }
  return { lists, warnings };
}

/** The first of each list, then the second of each, and so on. */
function mergeLists(lists: readonly NamedList[]): readonly { result: UpstreamResult; name: UpstreamName }[] {
  const longest = Math.max(0, ...lists.map(({ results }) => results.length));
  return Array.from({ length: longest }, (_, place) =>
    lists.flatMap(({ name, results }) => {
      const result = results[place];
      return result === undefined ? [] : [{ result, name }];
    }),
  ).flat();
}

function toPage(
  result: UpstreamResult,
  where: { readonly name: UpstreamName; readonly teamId: string; readonly now: Date },
): FilledPage | undefined {
  const url = canonicalUrl(result.url);
  if (url === undefined) return undefined;
  const { title, author, publishedAt } = result;
  return {
    ...{ teamId: where.teamId, url, version: 0, title, author, publishedAt },
    ...{ siteName: null, language: null, category: null, crawledAt: where.now },
    image: webAddress(result.image),
    favicon: webAddress(result.favicon),
    score: 0,
    isAboutQuery: true,
    isAsked: false,
    passages: [],
    upstream: where.name,
  };
}

function webAddress(text: string | null): string | null {
  return text !== null && /^https?:\/\//i.test(text) && isUrl(text) ? text : null;
}

/** Begins to fetch all of them, and waits a while. */
async function keepAll(deps: FillDeps, pages: readonly FilledPage[], signal: AbortSignal): Promise<void> {
  if (pages.length === 0) return;
  const fetched = Promise.allSettled(
    pages.map(({ teamId, url }) => deps.keepPage({ teamId, url, timeoutMs: FETCH_TIMEOUT_MS })),
  );
  let timer: NodeJS.Timeout | undefined;
  let leave: (() => void) | undefined;
  const patience = new Promise<void>((resolve) => {
    leave = resolve;
    timer = setTimeout(resolve, PATIENCE_MS);
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    await Promise.race([fetched, patience]);
  } finally {
    clearTimeout(timer);
    if (leave !== undefined) signal.removeEventListener("abort", leave);
  }
  signal.throwIfAborted();
}

function tellOf(filled: readonly FilledPage[]): FilledPages["warnings"] {
  if (filled.length === 0) return [];
  const names = [...new Set(filled.map(({ upstream }) => upstream))].join(" and ");
  const count = filled.length === 1 ? "1 result comes" : `${filled.length} results come`;
  return [
    {
      code: "upstream_results",
      message: `${count} from ${names}, because the index had too little; they are being added to it`,
    },
  ];
}
