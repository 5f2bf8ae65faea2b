import {
  discoverLinks,
  mayBeIndexed,
  readPageDirectives,
  type CrawlScope,
  type FetchOutcome,
  type PageDirectives,
} from "@quarry/crawl";
import {
  queuePages,
  recordVisits,
  type Crawl,
  type PageToQueue,
  type QueuedPage,
  type Transaction,
  type VisitedPage,
} from "@quarry/store";
import { ingestPages, type IngestDeps, type IngestOutcome } from "../ingest-pages.ts";
import type { PageToIngest } from "../page-to-ingest.ts";
import type { PageReading } from "../read-page.ts";

/** A visit whose outcome is final: nothing but its bookkeeping is left. */
export interface SettledVisit {
  readonly page: QueuedPage;
  readonly outcome: FetchOutcome;
  /** The stored copy of a page that has not changed: its links are still to be followed. */
  readonly unchanged?: { readonly bytes: Uint8Array; readonly contentType: string } | undefined;
}

/** The crawl that visits belong to. */
export interface CrawlInHand {
  readonly crawl: Crawl;
  readonly scope: CrawlScope;
  readonly agent: string;
}

/**
 * Writes a batch of visits in one transaction: documents and their note to the index, what became of each URL, and the
 * new URLs found. After a crash either all of it is there or the pages are visited again.
 */
export async function settleVisits(
  deps: IngestDeps,
  inHand: CrawlInHand,
  visits: readonly SettledVisit[],
  options: { readonly now: Date; readonly signal: AbortSignal },
): Promise<void> {
  const pages = new Map<PageToIngest, SettledVisit>();
  for (const visit of visits) {
    const page = toPage(inHand, visit, options.now);
    if (page !== undefined) pages.set(page, visit);
  }
  await ingestPages(deps, [...pages.keys()], {
    signal: options.signal,
    mayKeep: (page, reading) => {
      const visit = pages.get(page);
      return visit?.outcome.kind === "fetched" && mayBeIndexed(directivesOf(inHand, visit, reading), options.now);
    },
    alongside: async (tx, outcomes) => {
      const byVisit = new Map([...pages.values()].map((visit, index) => [visit, outcomes[index]]));
      await write(
        tx,
        inHand,
        visits.map((visit) => ({ visit, ingested: byVisit.get(visit) })),
        options.now,
      );
    },
  });
}

interface WrittenVisit {
  readonly visit: SettledVisit;
  readonly ingested: IngestOutcome | undefined;
}

async function write(tx: Transaction, inHand: CrawlInHand, written: readonly WrittenVisit[], now: Date): Promise<void> {
  const links: PageToQueue[] = [];
  const done: VisitedPage[] = [];
  for (const { visit, ingested } of written) {
    const url = finalUrlOf(visit.outcome) ?? visit.page.url;
    done.push(...toVisited(visit, ingested));
    // Where a redirect led is visited too: known to the crawl, and not to be fetched once more.
    if (url !== visit.page.url) links.push({ url, depth: visit.page.depth, foundOn: visit.page.url });
    const reading = ingested !== undefined && ingested.kind !== "unreadable" ? ingested.reading : undefined;
    if (reading !== undefined) links.push(...linksOf(inHand, visit, url, reading));
  }
  const distinct = [...new Map(links.map((link) => [link.url, link])).values()].sort((one, other) =>
    one.url < other.url ? -1 : 1,
  );
  await queuePages(tx, inHand.crawl.id, distinct, now);
  await recordVisits(tx, inHand.crawl.id, done, now);
}

function toPage({ crawl }: CrawlInHand, visit: SettledVisit, now: Date): PageToIngest | undefined {
  const { outcome, unchanged } = visit;
  const shared = {
    teamId: crawl.teamId,
    source: "crawl",
    given: { category: crawl.request.category ?? undefined },
  } as const;
  if (outcome.kind === "fetched") {
    const { url, bytes, fetchedAt, headers, validators } = outcome.page;
    const content = { kind: "bytes", bytes, contentType: headers["content-type"] } as const;
    return { ...shared, url, fetchedAt, content, etag: validators.etag, lastModified: validators.lastModified };
  }
  if (outcome.kind !== "not-modified" || unchanged === undefined) return undefined;
  return { ...shared, url: outcome.url, fetchedAt: now, content: { kind: "bytes", ...unchanged } };
}

function toVisited({ page, outcome }: SettledVisit, ingested: IngestOutcome | undefined): readonly VisitedPage[] {
  const blank = { url: page.url, message: null, httpStatus: null, finalUrl: null, snapshotId: null, byteLength: 0 };
  switch (outcome.kind) {
    case "refused":
      return [
        {
          ...blank,
          status: outcome.reason,
          message: outcome.message,
          httpStatus: outcome.httpStatus ?? null,
          isGood: false,
        },
      ];
    case "failed":
      return [
        {
          ...blank,
          status: outcome.reason,
          message: outcome.error.message,
          httpStatus: outcome.httpStatus ?? null,
          isGood: false,
        },
      ];
    case "not-modified":
      return [{ ...blank, status: "not-modified", httpStatus: 304, isGood: true }];
    case "fetched": {
      const { url, status: httpStatus, bytes } = outcome.page;
      const came = { ...blank, url, httpStatus, byteLength: bytes.byteLength };
      const visited: VisitedPage =
        ingested?.kind === "saved"
          ? { ...came, status: "fetched", snapshotId: ingested.snapshotId, isGood: true }
          : ingested?.kind === "unreadable"
            ? { ...came, status: "unreadable", message: ingested.error.message, isGood: false }
            : { ...came, status: "noindex", message: "the page asks not to be indexed", isGood: true };
      if (url === page.url) return [visited];
      return [{ ...blank, status: "redirected", finalUrl: url, isGood: true }, visited];
    }
  }
}

function linksOf(inHand: CrawlInHand, visit: SettledVisit, url: string, reading: PageReading): readonly PageToQueue[] {
  const found = discoverLinks(inHand.scope, {
    url,
    depth: visit.page.depth,
    nofollow: directivesOf(inHand, visit, reading).nofollow,
    links: reading.links.map((link) => ({ href: link.url, ...(link.nofollow ? { rel: "nofollow" } : {}) })),
  });
  return found.urls.map((link) => ({ ...link, foundOn: url }));
}

function directivesOf({ agent }: CrawlInHand, { outcome }: SettledVisit, reading: PageReading): PageDirectives {
  const header = outcome.kind === "fetched" ? outcome.page.headers["x-robots-tag"] : undefined;
  const metas = reading.robots.map((content) => ({ name: "robots", content }));
  return readPageDirectives({ headers: header === undefined ? [] : [header], metas }, agent);
}

function finalUrlOf(outcome: FetchOutcome): string | undefined {
  if (outcome.kind === "fetched") return outcome.page.url;
  return outcome.kind === "not-modified" ? outcome.url : undefined;
}
