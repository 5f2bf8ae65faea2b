import { AppError, sleep, type Clock } from "@quarry/base";
import {
  crawlPageSchema,
  crawlPagesQuerySchema,
  crawlSchema,
  crawlWithStatusesSchema,
  createCrawlSchema,
  mapReplySchema,
  mapSchema,
  pageOf,
  pagingQuery,
  recrawlSchema,
} from "@quarry/contract";
import { compileScope, DEFAULT_DELAY_MS } from "@quarry/crawl";
import type { SiteMap } from "@quarry/ingest";
import {
  countPagesByStatus,
  createCrawl,
  DEFAULT_RECRAWL,
  getCrawl,
  isCrawlFinished,
  listCrawlPages,
  listCrawls,
  nextRoundAt,
  setRecrawl,
  steerCrawl,
  type Crawl,
  type CrawlRequest,
  type Database,
  type RecrawlSettings,
} from "@quarry/store";
import { z } from "zod";
import { eventStreamReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";

/** What the crawl routes need. */
export interface CrawlDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Whether the operator opened the host of this URL although it is private: only there may a crawl go without pause. */
  readonly isOpenedHost: (url: string) => boolean;
  readonly mapSite: (wish: { readonly url: string; readonly limit: number }, signal: AbortSignal) => Promise<SiteMap>;
}

const tag = "Crawls";
const params = z.object({ id: z.string().min(1).max(100) });
const DEFAULT_MAX_PAGES = 100;
const DEFAULT_MAX_DEPTH = 10;
const DEFAULT_MAX_BYTES = 10 * 1024 ** 3;
const DEFAULT_MAP_LIMIT = 5_000;
const LOOK_AGAIN_MS = 300;

/** Crawls: begun, watched, steered; and a site's URLs without one. */
export function crawlRoutes(deps: CrawlDeps): readonly Route[] {
  const show = (crawl: Crawl): z.input<typeof crawlSchema> => showCrawl(crawl, deps.clock.now());
  const steer = (move: "pause" | "resume" | "cancel", summary: string): Route =>
    defineRoute({
      name: `${move}Crawl`,
      method: "POST",
      path: `/quarry/v1/crawls/:id/${move}`,
      tag,
      summary,
      access: "index",
      params,
      response: crawlSchema,
      handle: async ({ params: { id } }, { caller }) =>
        show(await steerCrawl(deps.db, caller.teamId, { id, move, now: deps.clock.now() })),
    });
  return [
    defineRoute({
      name: "createCrawl",
      method: "POST",
      path: "/quarry/v1/crawls",
      tag,
      summary: "Begin a crawl",
      description: "Polite by default: robots.txt is obeyed, one connection and one second a host.",
      access: "index",
      creates: true,
      status: 201,
      body: createCrawlSchema,
      response: crawlSchema,
      handle: async ({ body }, { caller, newId }) => {
        const request = toRequest(deps, body);
        const crawl = { id: newId("crawl"), teamId: caller.teamId, request, seeds: request.urls };
        return show(await createCrawl(deps.db, crawl, deps.clock.now()));
      },
    }),
    defineRoute({
      name: "listCrawls",
      method: "GET",
      path: "/quarry/v1/crawls",
      tag,
      summary: "List the team's crawls, newest first",
      access: "index",
      query: z.object(pagingQuery({ max: 100, default: 25 })),
      response: pageOf(crawlSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listCrawls(deps.db, caller.teamId, query);
        return { ...page, data: page.data.map(show) };
      },
    }),
    defineRoute({
      name: "getCrawl",
      method: "GET",
      path: "/quarry/v1/crawls/:id",
      tag,
      summary: "Tell how far a crawl has come, and how its visits ended",
      access: "index",
      params,
      response: crawlWithStatusesSchema,
      handle: async ({ params: { id } }, { caller }) => {
        const crawl = await getCrawl(deps.db, caller.teamId, id);
        return showWhole(deps, crawl);
      },
    }),
    defineRoute({
      name: "listCrawlPages",
      method: "GET",
      path: "/quarry/v1/crawls/:id/pages",
      tag,
      summary: "List the URLs of a crawl with what became of each",
      access: "index",
      params,
      query: crawlPagesQuerySchema,
      response: pageOf(crawlPageSchema),
      handle: async ({ params: { id }, query }, { caller }) => {
        await getCrawl(deps.db, caller.teamId, id);
        const page = await listCrawlPages(deps.db, id, query);
        return {
          ...page,
          data: page.data.map((one) => ({
            ...one,
            doneAt: one.doneAt?.toISOString() ?? null,
            nextVisitAt: one.nextVisitAt?.toISOString() ?? null,
          })),
        };
      },
    }),
    defineRoute({
      name: "watchCrawl",
      method: "GET",
      path: "/quarry/v1/crawls/:id/events",
      tag,
      summary: "Follow a crawl's progress as server-sent events, until it ends",
      access: "index",
      params,
      replyMediaType: "text/event-stream",
      response: crawlWithStatusesSchema,
      handle: async ({ params: { id } }, { caller, streamSignal }) => {
        await getCrawl(deps.db, caller.teamId, id);
        return eventStreamReply(followCrawl(deps, caller.teamId, id, streamSignal));
      },
    }),
    defineRoute({
      name: "setRecrawl",
      method: "POST",
      path: "/quarry/v1/crawls/:id/recrawl",
      tag,
      summary: "Switch a crawl's re-visits on or off, and set how far apart they are",
      description:
        "Once the crawl is completed, each page is asked for again (conditionally) when a change is as likely as not. " +
        "Switched off, nothing is forgotten: switched on again, it goes on.",
      access: "index",
      params,
      body: recrawlSchema,
      response: crawlSchema,
      handle: async ({ params: { id }, body }, { caller }) =>
        show(
          await setRecrawl(deps.db, caller.teamId, {
            id,
            recrawl: { ...DEFAULT_RECRAWL, ...given(body) },
            now: deps.clock.now(),
          }),
        ),
    }),
    steer("pause", "Let a crawl rest; pages under way are given up and visited again later"),
    steer("resume", "Let a paused crawl go on"),
    steer("cancel", "End a crawl; what it read stays"),
    defineRoute({
      name: "mapSite",
      method: "POST",
      path: "/quarry/v1/map",
      tag,
      summary: "List a site's URLs from its sitemaps and its first page, without crawling it",
      access: "index",
      body: mapSchema,
      response: mapReplySchema,
      handle: async ({ body }, { signal }) => {
        const map = await deps.mapSite({ url: body.url, limit: body.limit ?? DEFAULT_MAP_LIMIT }, signal);
        return { ...map, urls: [...map.urls], sources: [...map.sources] };
      },
    }),
  ];
}

function toRequest(deps: CrawlDeps, body: z.output<typeof createCrawlSchema>): CrawlRequest {
  const scope = compileScope({
    seeds: body.urls ?? [body.url ?? body.sitemap ?? ""],
    kind: body.scope ?? "host",
    include: body.include ?? [],
    exclude: body.exclude ?? [],
  });
  const delayMs = body.delayMs ?? DEFAULT_DELAY_MS;
  if (delayMs === 0 && !scope.seeds.every(deps.isOpenedHost)) {
    throw new AppError(
      "invalid_request",
      "delayMs: 0 is for private hosts that QUARRY_ALLOW_PRIVATE_HOSTS opens; give others at least 1 ms",
      {
        details: { field: "delayMs" },
      },
    );
  }
  return {
    urls: body.sitemap === undefined ? scope.seeds : [],
    sitemaps: body.sitemap === undefined ? [] : scope.seeds,
    scope: scope.kind,
    include: body.include ?? [],
    exclude: body.exclude ?? [],
    maxPages: body.maxPages ?? DEFAULT_MAX_PAGES,
    maxDepth: body.maxDepth ?? DEFAULT_MAX_DEPTH,
    maxBytes: body.maxBytes ?? DEFAULT_MAX_BYTES,
    delayMs,
    category: body.category ?? null,
    render: body.render ?? "never",
    recrawl: { ...DEFAULT_RECRAWL, ...given(body.recrawl) },
  };
}

/** What was given of the settings; the others keep their defaults. */
function given(recrawl: z.output<typeof recrawlSchema> | undefined): Partial<RecrawlSettings> {
  if (recrawl === undefined) return {};
  const { enabled, minHours, maxHours } = recrawl;
  return { enabled, ...(minHours === undefined ? {} : { minHours }), ...(maxHours === undefined ? {} : { maxHours }) };
}

async function showWhole(deps: CrawlDeps, crawl: Crawl): Promise<z.input<typeof crawlWithStatusesSchema>> {
  const [pagesByStatus, next] = await Promise.all([countPagesByStatus(deps.db, crawl.id), nextRoundAt(deps.db, crawl)]);
  return { ...showCrawl(crawl, deps.clock.now()), pagesByStatus, nextRoundAt: next?.toISOString() ?? null };
}

async function* followCrawl(deps: CrawlDeps, teamId: string, id: string, signal: AbortSignal): AsyncGenerator<string> {
  let told = "";
  while (!signal.aborted) {
    const crawl = await getCrawl(deps.db, teamId, id);
    const state = JSON.stringify(await showWhole(deps, crawl));
    if (state !== told) {
      told = state;
      yield `event: crawl.${crawl.status}\ndata: ${state}\n\n`;
    }
    if (isCrawlFinished(crawl.status)) return;
    await sleep(LOOK_AGAIN_MS, signal).catch(() => undefined); // over
  }
}

function showCrawl(crawl: Crawl, now: Date): z.input<typeof crawlSchema> {
  const { startedAt, finishedAt, request } = crawl;
  const seconds = startedAt === null ? 0 : Math.max(0, ((finishedAt ?? now).getTime() - startedAt.getTime()) / 1_000);
  const pagesPerSecond = seconds === 0 ? 0 : Number((crawl.pagesDone / seconds).toFixed(2));
  const left = Math.min(crawl.pagesQueued, Math.max(0, crawl.maxPages - crawl.pagesDone));
  return {
    id: crawl.id,
    object: "crawl",
    status: crawl.status,
    reason: crawl.reason,
    request: {
      ...request,
      urls: [...request.urls],
      sitemaps: [...request.sitemaps],
      include: [...request.include],
      exclude: [...request.exclude],
    },
    round: crawl.round,
    progress: {
      done: crawl.pagesDone,
      failed: crawl.pagesFailed,
      queued: crawl.pagesQueued,
      bytes: crawl.bytes,
      pagesPerSecond,
      secondsLeft: pagesPerSecond === 0 || isCrawlFinished(crawl.status) ? null : Math.ceil(left / pagesPerSecond),
    },
    createdAt: crawl.createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
