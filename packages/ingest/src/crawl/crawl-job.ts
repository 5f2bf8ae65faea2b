import { AppError } from "@quarry/base";
import {
  canonicalUrl,
  compileScope,
  decideScope,
  pagePriority,
  sitemapOpener,
  startHistory,
  walkSitemaps,
  WALK_LIMITS,
  type SitemapPage,
} from "@quarry/crawl";
import {
  moveCrawlBy,
  noteSitemapsRead,
  queuePages,
  recordSitemapFaults,
  type Crawl,
  type JobHandler,
  type PageToQueue,
  type SitemapFault,
} from "@quarry/store";
import { runCrawl, type CrawlDeps } from "./run-crawl.ts";

/** URLs of sitemaps queued in one transaction. */
const SITEMAP_BATCH = 500;

/** Does the jobs of kind `crawl`: one crawl from where it stands to its end. */
export function createCrawlJobHandler(deps: CrawlDeps): JobHandler {
  return async (run) => {
    const { crawlId } = run.job.payload as { readonly crawlId: string };
    const { database, now } = deps;
    const started = await database.transaction((tx) => moveCrawlBy(tx, crawlId, { move: "start", now: now() }));
    // Paused or ended since the job was queued: there is nothing to do.
    if (started === undefined) return run.complete();
    try {
      if (started.request.sitemaps.length > 0 && isDue(started.sitemapsReadAt, now())) {
        await queueSitemaps(deps, started, run.signal);
      }
      const end = await runCrawl(deps, started, run.signal);
      return await run.complete(async (tx) => {
        await moveCrawlBy(tx, crawlId, { move: "complete", reason: end.reason, now: now() });
      });
    } catch (error) {
      run.signal.throwIfAborted();
      const reason = AppError.from(error);
      if (reason.retryable || reason.code !== "invalid_request") throw error; // tried again; what was read stays
      return await run.complete(async (tx) => {
        await moveCrawlBy(tx, crawlId, { move: "fail", reason: reason.message, now: now() });
      });
    }
  };
}

/** Re-visits read the sitemaps again, but no more often than this. */
const SITEMAPS_AGAIN_MS = 24 * 60 * 60 * 1000;

function isDue(readAt: Date | null, now: Date): boolean {
  return readAt === null || now.getTime() - readAt.getTime() >= SITEMAPS_AGAIN_MS;
}

/**
 * Adds what the sitemaps name to the frontier, and what is wrong with them to the crawl's failures. Done again after a
 * crash, it adds nothing twice. While one that the crawl asks for by name cannot be had, they do not count as read.
 */
async function queueSitemaps(deps: CrawlDeps, crawl: Crawl, signal: AbortSignal): Promise<void> {
  const { request } = crawl;
  const scope = compileScope({
    seeds: request.sitemaps,
    kind: request.scope,
    include: request.include,
    exclude: request.exclude,
  });
  const limits = { ...WALK_LIMITS, maxPages: request.maxPages };
  let batch: PageToQueue[] = [];
  const flush = async (): Promise<void> => {
    const pages = batch;
    batch = [];
    await deps.database.transaction((tx) => queuePages(tx, crawl.id, pages, deps.now()));
  };
  const faults = new Map<string, SitemapFault>();
  let pages = 0;
  for await (const event of walkSitemaps({ open: sitemapOpener(deps.get) }, request.sitemaps, signal, limits)) {
    if (event.kind === "note") {
      const { sitemap: url, code, message } = event;
      const isOurLimit = code === "too-many-entries" && pages >= limits.maxPages;
      if (!isOurLimit && !faults.has(url)) faults.set(url, { url, status: `sitemap-${code}`, message });
      continue;
    }
    pages += 1;
    const url = canonicalUrl(event.url);
    if (url === undefined || decideScope(scope, url, 1).kind === "out") continue;
    batch.push(toQueue({ ...event, url }, deps.now()));
    if (batch.length >= SITEMAP_BATCH) await flush();
  }
  await flush();
  const isUnread = request.sitemaps.some((url) => faults.get(canonicalUrl(url) ?? url)?.status === UNREACHABLE);
  await deps.database.transaction(async (tx) => {
    await recordSitemapFaults(tx, crawl.id, [...faults.values()], deps.now());
    if (!isUnread) await noteSitemapsRead(tx, crawl.id, deps.now());
  });
}

/** The status of a sitemap that gave nothing at all. */
const UNREACHABLE = "sitemap-unreachable" satisfies SitemapFault["status"];

/** What a sitemap says of a page decides its turn, and how soon it is visited again. */
function toQueue({ url, priority, lastModified, changeFrequency }: SitemapPage, now: Date): PageToQueue {
  return {
    url,
    depth: 0,
    foundOn: null,
    priority: pagePriority({ url, depth: 0, statedPriority: priority, lastModified }, now),
    intervalMs: changeFrequency === undefined ? undefined : startHistory(changeFrequency).intervalMs,
  };
}
