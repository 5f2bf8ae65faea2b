import { AppError, isUrl } from "@quarry/base";
import { DEFAULT_DELAY_MS } from "@quarry/crawl";
import {
  createCrawl,
  DEFAULT_RECRAWL,
  isCrawlFinished,
  listCrawlPages,
  listWebsetItems,
  steerCrawl,
  type NewCandidate,
  type Json,
  type Webset,
  type WebsetSearch,
} from "@quarry/store";
import type { Entity, EntityKind } from "../entities/entity.ts";
import type { CollectStep } from "./collect-step.ts";
import { withoutContent } from "./identities.ts";
import { namesNear } from "./names-near.ts";
import { entityOfItem } from "./show-item.ts";
import { readSourcePart, SOURCE_BATCH } from "./source-entities.ts";
import { teamsOfWebset, type StoredPage, type WebsetsDeps } from "./websets-deps.ts";

/** What one step, or a part of it, found. */
export type Collected =
  | {
      readonly kind: "collected";
      readonly candidates: readonly NewCandidate[];
      /** The rest of the step; undefined when it is done. */
      readonly rest: CollectStep | undefined;
    }
  /** What the step needs is not there yet. */
  | { readonly kind: "not-yet"; readonly lookAgainMs: number };

/** Pages that one formulation brings at most: the most that a search of the index returns. */
const PAGES_PER_FORMULATION = 100;
/** Hosts or pages that one formulation leaves out at most: what a search of the index takes. */
const MAX_READ_HOSTS = 1_000;
/** Pages that are read for each entity of a source from which others are looked for. */
const PAGES_PER_HOP = 10;
/** Entities of a source whose relations are looked for in one part. */
const HOPS_AT_ONCE = 5;
const LOOK_AGAIN_MS = 1_000;
/** A named site: its first pages, near the one that was named, and no longer than a person would wait. */
const SITE = { maxPages: 25, maxDepth: 2, maxBytes: 50 * 1024 ** 2, patienceMs: 60_000 } as const;

/** Does one part of a step: reads and finds, writes nothing but the crawl of a named site. */
export function collectCandidates(
  deps: WebsetsDeps,
  place: { readonly webset: Webset; readonly search: WebsetSearch },
  step: CollectStep,
  signal: AbortSignal,
): Promise<Collected> {
  switch (step.kind) {
    case "items":
      return collectItems(deps, place, step);
    case "source":
      return collectSource(deps, place, step);
    case "related":
      return collectRelated(deps, place, step, signal);
    case "site":
      return collectSite(deps, place, step, signal);
    case "find":
      return collectFound(deps, place, step, signal);
  }
}

type Place = { readonly webset: Webset; readonly search: WebsetSearch };
type StepOf<Kind extends CollectStep["kind"]> = Extract<CollectStep, { kind: Kind }>;

async function collectItems(deps: WebsetsDeps, { webset }: Place, step: StepOf<"items">): Promise<Collected> {
  const cursor = step.after === null ? {} : { cursor: step.after };
  const page = await listWebsetItems(deps.database, webset.id, { limit: SOURCE_BATCH, ...cursor });
  const candidates = page.data.map((item) => ({
    ...candidateOf(entityOfItem(item)),
    entityKey: item.entityKey,
    itemId: item.id,
    source: item.source,
    sourceId: item.sourceId,
    sourceEntityId: item.sourceEntityId,
    scopeId: item.scopeId,
  }));
  const rest = page.nextCursor === null ? undefined : { ...step, after: page.nextCursor };
  return { kind: "collected", candidates, rest };
}

async function collectSource(deps: WebsetsDeps, { webset, search }: Place, step: StepOf<"source">): Promise<Collected> {
  const part = await readSourcePart(deps.database, webset.teamId, step, step.after);
  if (!part.isReady) return { kind: "not-yet", lookAgainMs: LOOK_AGAIN_MS };
  const origin =
    step.role === "import"
      ? ({ source: "import", sourceId: step.id } as const)
      : ({ source: "search", sourceId: search.id } as const);
  const candidates = part.entities.map(({ id, entity }) => ({
    ...candidateOf(entity),
    ...origin,
    sourceEntityId: step.role === "scope" ? id : null,
    scopeId: step.role === "scope" ? step.id : null,
  }));
  return { kind: "collected", candidates, rest: part.after === null ? undefined : { ...step, after: part.after } };
}

async function collectRelated(
  deps: WebsetsDeps,
  { webset, search }: Place,
  step: StepOf<"related">,
  signal: AbortSignal,
): Promise<Collected> {
  const part = await readSourcePart(deps.database, webset.teamId, step, step.after, HOPS_AT_ONCE);
  if (!part.isReady) return { kind: "not-yet", lookAgainMs: LOOK_AGAIN_MS };
  const candidates: NewCandidate[] = [];
  for (const { id, entity } of part.entities) {
    const query = `${step.definition} ${entity.name}`;
    const wish = { query, limit: PAGES_PER_HOP, readHosts: [] };
    const { entities, pages } = await findOnPages(deps, { webset, search }, wish, signal);
    // The pages found for one source tell of others' entities too.
    const others = entities.filter(
      (one) =>
        one.key !== entity.key && pages.some((page) => one.pages.includes(page.url) && namesNear(page, one, entity)),
    );
    const origin = { source: "search", sourceId: search.id, sourceEntityId: id, scopeId: step.id } as const;
    candidates.push(...others.map((one) => ({ ...candidateOf(one), ...origin })));
  }
  return { kind: "collected", candidates, rest: part.after === null ? undefined : { ...step, after: part.after } };
}

async function collectFound(
  deps: WebsetsDeps,
  place: Place,
  step: StepOf<"find">,
  signal: AbortSignal,
): Promise<Collected> {
  const { entities, urls } = await findOnPages(deps, place, { ...step, limit: PAGES_PER_FORMULATION }, signal);
  const candidates = entities.map((entity) => ({
    ...candidateOf(entity),
    sourceId: place.search.id,
    seenIn: [step.formulation],
  }));
  const places = urls.flatMap((url) => placeOf(url, kindOf(place.search)));
  const readHosts = [...new Set([...step.readHosts, ...places])];
  // A full list was cut: what others have comes in the next part.
  const isCut = urls.length >= PAGES_PER_FORMULATION && readHosts.length <= MAX_READ_HOSTS;
  const isMore = isCut && readHosts.length > step.readHosts.length;
  return { kind: "collected", candidates, rest: isMore ? { ...step, readHosts } : undefined };
}

/** What a page that was read keeps out of the next part: its whole host, where that is one company; else the page, for a host has many texts. */
function placeOf(url: string, { type }: EntityKind): readonly string[] {
  if (!isUrl(url)) return [];
  const { hostname, pathname } = new URL(url);
  if (type === "company") return [hostname];
  return pathname === "/" ? [] : [`${hostname}${pathname}`];
}

/** Crawls a site that the query names, through the crawler and its rules, and takes the entities of its pages. */
async function collectSite(
  deps: WebsetsDeps,
  { webset, search }: Place,
  step: StepOf<"site">,
  signal: AbortSignal,
): Promise<Collected> {
  const now = deps.clock.now();
  const request = {
    urls: [step.url],
    sitemaps: [],
    scope: "host",
    include: [],
    exclude: [],
    maxPages: SITE.maxPages,
    maxDepth: SITE.maxDepth,
    maxBytes: SITE.maxBytes,
    delayMs: DEFAULT_DELAY_MS,
    category: null,
    render: "auto",
    recrawl: DEFAULT_RECRAWL,
  } as const;
  const { teamId } = webset;
  const crawl = await createCrawl(deps.database, { id: step.crawlId, teamId, request, seeds: [step.url] }, now);
  if (!isCrawlFinished(crawl.status)) {
    if (now.getTime() - crawl.createdAt.getTime() < SITE.patienceMs) {
      return { kind: "not-yet", lookAgainMs: LOOK_AGAIN_MS };
    }
    await steerCrawl(deps.database, teamId, { id: crawl.id, move: "cancel", now });
  }
  const visited = await listCrawlPages(deps.database, crawl.id, { limit: SITE.maxPages });
  const urls = visited.data.map(({ url }) => url);
  const pages = await deps.readPages({ teamIds: teamsOfWebset(webset), urls, fetch: false }, signal);
  const entities = deps.judges.findEntities({ pages, entity: kindOf(search), query: search.query });
  const candidates = entities.map((entity) => ({ ...candidateOf(entity), sourceId: search.id }));
  return { kind: "collected", candidates, rest: undefined };
}

async function findOnPages(
  deps: WebsetsDeps,
  { webset, search }: Place,
  wish: { readonly query: string; readonly limit: number; readonly readHosts: readonly string[] },
  signal: AbortSignal,
): Promise<{
  readonly entities: readonly Entity[];
  readonly urls: readonly string[];
  readonly pages: readonly StoredPage[];
}> {
  const teamIds = teamsOfWebset(webset);
  const { query, limit, readHosts } = wish;
  const excludeDomains = readHosts.length === 0 ? {} : { excludeDomains: readHosts };
  const urls = await deps.find({ teamIds, query, limit, plan: "auto", ...excludeDomains }, signal);
  const pages = await deps.readPages({ teamIds, urls, fetch: false }, signal);
  const entities = deps.judges.findEntities({ pages, entity: kindOf(search), query: search.query });
  return { entities, urls, pages };
}

/** What a search lists; it is known once its query is understood. */
export function kindOf(search: Pick<WebsetSearch, "entity">): EntityKind {
  if (search.entity === null) throw new AppError("internal", "a search was collected before it was understood");
  return search.entity as unknown as EntityKind;
}

function candidateOf(entity: Entity): NewCandidate {
  return {
    entityKey: entity.key,
    entity: withoutContent(entity) as unknown as Json,
    itemId: null,
    source: "search",
    sourceId: "",
    sourceEntityId: null,
    scopeId: null,
    seenIn: [],
  };
}
