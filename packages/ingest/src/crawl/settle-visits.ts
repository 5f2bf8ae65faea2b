import { AppError } from "@quarry/base";
import {
  discoverLinks,
  MAX_PAGE_PRIORITY,
  mayBeIndexed,
  pagePriority,
  readPageDirectives,
  type CrawlScope,
  type PageDirectives,
  type PageStatus,
} from "@quarry/crawl";
import {
  deleteDocuments,
  findDocuments,
  queuePages,
  recordVisits,
  REDIRECTED,
  type Crawl,
  type CrawlSpent,
  type PageToQueue,
  type QueuedPage,
  type Transaction,
  type VisitedPage,
} from "@quarry/store";
import type { IngestDeps } from "../ingest-pages.ts";
import type { PageToIngest } from "../page-to-ingest.ts";
import { preparePage, type PreparedPage } from "../prepare-page.ts";
import type { PageReading } from "../read-page.ts";
import { savePrepared, type IngestOutcome } from "../save-prepared.ts";
import { withWholeSnapshots } from "../whole-snapshots.ts";
import { scheduleNext } from "./schedule-visit.ts";
import type { VisitOutcome } from "./visit-page.ts";

/** The stored copy of a page that has not changed: its links are still to be followed. */
export interface StoredCopy {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** A visit whose outcome is final; what was fetched is read, and its bytes are kept. Only rows are missing. */
export interface SettledVisit {
  readonly page: QueuedPage;
  readonly outcome: VisitOutcome;
  readonly prepared: PreparedPage | undefined;
  /** What the visit takes of the byte budget. */
  readonly byteLength: number;
  /** What the database had against the page. */
  readonly unwritable?: AppError;
}

/** The crawl that visits belong to. */
export interface CrawlInHand {
  readonly crawl: Crawl;
  readonly scope: CrawlScope;
  readonly agent: string;
}

/** Reads what a visit brought and keeps its bytes. */
export async function prepareVisit(
  deps: IngestDeps,
  inHand: CrawlInHand,
  visit: Omit<SettledVisit, "prepared"> & { readonly unchanged: StoredCopy | undefined },
  options: { readonly now: Date; readonly signal: AbortSignal },
): Promise<SettledVisit> {
  const { page, outcome, byteLength } = visit;
  const content = toPage(inHand, outcome, visit.unchanged, options.now);
  const prepared =
    content === undefined
      ? undefined
      : await preparePage(deps, content, {
          signal: options.signal,
          mayKeep: (_page, reading) =>
            !lacksBrowser(outcome) && mayBeIndexed(directivesOf(inHand, outcome, reading), options.now),
        });
  return { page, outcome, byteLength, prepared };
}

/**
 * Writes a batch of visits in one transaction: documents and their note to the index, what became of each URL, and the
 * new URLs found. After a crash either all of it is there or the pages are visited again. A page that cannot be
 * written, whatever it is that the database has against it, is recorded as that; it does not hold up the others.
 */
export async function settleVisits(
  deps: IngestDeps,
  inHand: CrawlInHand,
  visits: readonly SettledVisit[],
  now: Date,
): Promise<CrawlSpent> {
  try {
    const prepared = visits.flatMap((visit) => visit.prepared ?? []);
    return await withWholeSnapshots(deps, prepared, (rewritten) =>
      deps.database.transaction((tx) => writeVisits(tx, inHand, { visits, rewritten }, now)),
    );
  } catch (thrown) {
    const error = AppError.from(thrown);
    const [first, ...others] = visits;
    if (error.retryable || first === undefined) throw thrown;
    if (others.length === 0) {
      if (first.unwritable !== undefined) throw thrown;
      const unwritable: SettledVisit = { ...first, prepared: undefined, unwritable: error };
      return settleVisits(deps, inHand, [unwritable], now);
    }
    let spent = await settleVisits(deps, inHand, [first], now);
    for (const visit of others) spent = await settleVisits(deps, inHand, [visit], now);
    return spent;
  }
}

/** The status of a page that needs a browser where there is none; its links are followed, the page is not kept. */
export const NO_BROWSER = "no-browser";
/** Where a redirect leads is due at once: the URL that led there was. */
const HOP_PRIORITY = MAX_PAGE_PRIORITY;

/** The status of a page that asks not to be indexed. */
const NOINDEX = "noindex";

/** The status of a page that was read and could not be written. */
export const NOT_STORED = "not-stored";

async function writeVisits(
  tx: Transaction,
  inHand: CrawlInHand,
  { visits, rewritten }: { readonly visits: readonly SettledVisit[]; readonly rewritten: ReadonlySet<string> },
  now: Date,
): Promise<CrawlSpent> {
  const ingested = await savePrepared(
    tx,
    visits.flatMap(({ prepared }) => prepared ?? []),
    rewritten,
  );
  const links: PageToQueue[] = [];
  const done: VisitedPage[] = [];
  let next = 0;
  for (const visit of visits) {
    const outcome = visit.prepared === undefined ? undefined : ingested[next++];
    done.push(...toVisited(inHand, visit, outcome, now));
    // Where a redirect led is known to the crawl from now on, and not to be fetched once more.
    const { page } = visit;
    const hops = [page.url, ...visit.outcome.redirects.map(({ to }) => to)];
    if (visit.outcome.kind === "redirected") hops.push(visit.outcome.to);
    const { depth } = page;
    const queueHop = (url: string, place: number): PageToQueue => ({
      url,
      depth,
      foundOn: hops[place] ?? page.url,
      priority: HOP_PRIORITY,
    });
    links.push(...hops.slice(1).map(queueHop));
    const reading = outcome !== undefined && outcome.kind !== "unreadable" ? outcome.reading : undefined;
    if (reading !== undefined) links.push(...linksOf(inHand, visit, { reading, now }));
  }
  const gone = done.filter(({ status }) => GONE.has(status)).map(({ url }) => url);
  await removeGone(tx, inHand.crawl.teamId, gone, now);
  const nearest = new Map<string, PageToQueue>();
  for (const link of links) {
    if (link.depth < (nearest.get(link.url)?.depth ?? Number.POSITIVE_INFINITY)) nearest.set(link.url, link);
  }
  const inOrder = [...nearest.values()].sort((one, other) => (one.url < other.url ? -1 : 1));
  await queuePages(tx, inHand.crawl.id, inOrder, now);
  return recordVisits(tx, inHand.crawl.id, done, now);
}

/** What a site says of a page that is not there any more, or not to be shown. */
const GONE: ReadonlySet<string> = new Set<string>(["not-there", "gone", NOINDEX] satisfies (
  PageStatus | typeof NOINDEX
)[]);

/** A page that its site took away leaves the index; what was given to us rather than crawled stays. */
async function removeGone(tx: Transaction, teamId: string, urls: readonly string[], now: Date): Promise<void> {
  if (urls.length === 0) return;
  const known = await findDocuments(tx, [teamId], urls);
  const crawled = [...known.values()].filter(({ source }) => source === "crawl").map(({ url }) => url);
  if (crawled.length > 0) await deleteDocuments(tx, teamId, crawled, now);
}

function toPage(
  { crawl }: CrawlInHand,
  outcome: VisitOutcome,
  unchanged: StoredCopy | undefined,
  now: Date,
): PageToIngest | undefined {
  const shared = {
    teamId: crawl.teamId,
    source: "crawl",
    given: { category: crawl.request.category ?? undefined },
  } as const;
  if (outcome.kind === "fetched") {
    const { url, bytes, fetchedAt, headers, validators } = outcome.page;
    const content = { kind: "bytes", bytes, contentType: headers["content-type"] } as const;
    const { etag, lastModified } = validators;
    return { ...shared, url, fetchedAt, content, etag, lastModified, isRendered: isRendered(outcome) };
  }
  if (outcome.kind !== "not-modified" || unchanged === undefined) return undefined;
  const { bytes, contentType, etag, lastModified } = unchanged;
  return {
    ...shared,
    url: outcome.url,
    fetchedAt: now,
    content: { kind: "bytes", bytes, contentType },
    etag: outcome.validators.etag ?? etag ?? undefined,
    lastModified: outcome.validators.lastModified ?? lastModified ?? undefined,
  };
}

/** A row for the URL that was asked for, and one for each that redirects led through. */
function toVisited(
  inHand: CrawlInHand,
  visit: SettledVisit,
  ingested: IngestOutcome | undefined,
  now: Date,
): readonly VisitedPage[] {
  const { page, outcome } = visit;
  const way = [page.url, ...outcome.redirects.map(({ to }) => to)];
  const isOnItsWay = outcome.kind === "refused" && ON_THE_WAY.has(outcome.reason);
  const endedAt = isOnItsWay ? page.url : (way.at(-1) ?? page.url);
  const blank = {
    message: null,
    httpStatus: null,
    finalUrl: null,
    snapshotId: null,
    byteLength: 0,
    isGood: true,
    rendered: isRendered(outcome),
    schedule: null,
  };
  const schedule =
    outcome.kind === "redirected" ? null : scheduleNext(inHand.crawl.request.recrawl, visit, ingested, now);
  return way.map((url, place): VisitedPage => {
    if (url === endedAt) return { ...blank, url, schedule, ...endOf(visit, ingested) };
    return { ...blank, url, status: REDIRECTED, finalUrl: isOnItsWay ? (way[place + 1] ?? page.url) : endedAt };
  });
}

/** Refusals that belong to the URL that began to redirect, not to where it came to a halt. */
const ON_THE_WAY: ReadonlySet<string> = new Set(["redirect-loop", "too-many-redirects"]);

function endOf(
  { outcome, byteLength, unwritable }: SettledVisit,
  ingested: IngestOutcome | undefined,
): Partial<VisitedPage> & Pick<VisitedPage, "status"> {
  if (unwritable !== undefined) {
    const message = `the page was read and could not be stored: ${unwritable.message}`;
    return { status: NOT_STORED, message, byteLength, isGood: false };
  }
  switch (outcome.kind) {
    case "redirected":
      return { status: REDIRECTED, finalUrl: outcome.to };
    case "refused":
    case "failed": {
      const message = outcome.kind === "refused" ? outcome.message : outcome.error.message;
      return { status: outcome.reason, message, httpStatus: outcome.httpStatus ?? null, byteLength, isGood: false };
    }
    case "not-modified":
      return { status: "not-modified", httpStatus: 304 };
    case "fetched": {
      const came = { httpStatus: outcome.page.status, byteLength };
      if (outcome.rendering?.kind === "no-browser") {
        return { ...came, status: NO_BROWSER, message: outcome.rendering.message, isGood: false };
      }
      if (ingested?.kind === "saved") return { ...came, status: "fetched", snapshotId: ingested.snapshotId };
      if (ingested?.kind === "unreadable") {
        return { ...came, status: "unreadable", message: ingested.error.message, isGood: false };
      }
      return { ...came, status: NOINDEX, message: "the page asks not to be indexed" };
    }
  }
}

function lacksBrowser(outcome: VisitOutcome): boolean {
  return outcome.kind === "fetched" && outcome.rendering?.kind === "no-browser";
}

function isRendered(outcome: VisitOutcome): boolean {
  return outcome.kind === "fetched" && outcome.rendering?.kind === "rendered";
}

function linksOf(
  inHand: CrawlInHand,
  { page, outcome }: SettledVisit,
  { reading, now }: { readonly reading: PageReading; readonly now: Date },
): readonly PageToQueue[] {
  const url = outcome.kind === "fetched" ? outcome.page.url : page.url;
  const found = discoverLinks(inHand.scope, {
    url,
    depth: page.depth,
    nofollow: directivesOf(inHand, outcome, reading).nofollow,
    links: reading.links.map((link) => ({ href: link.url, ...(link.nofollow ? { rel: "nofollow" } : {}) })),
  });
  return found.urls.map((link) => ({ ...link, foundOn: url, priority: pagePriority(link, now) }));
}

function directivesOf({ agent }: CrawlInHand, outcome: VisitOutcome, reading: PageReading): PageDirectives {
  const header = outcome.kind === "fetched" ? outcome.page.headers["x-robots-tag"] : undefined;
  const metas = reading.robots.map((content) => ({ name: "robots", content }));
  return readPageDirectives({ headers: header === undefined ? [] : [header], metas }, agent);
}
