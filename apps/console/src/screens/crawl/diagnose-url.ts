import { ApiError, send } from "../../api/send.ts";
import type { Crawl, CrawlPage, Page, WholeDocument } from "../../api/shapes.ts";
import { meaningOfVisit } from "./visit-meanings.ts";
import { say } from "../../words/say.ts";

/** Why a URL is or is not found by search, and what to do. */
export interface Diagnosis {
  readonly isIndexed: boolean;
  readonly sentence: string;
  readonly advice: string;
  /** The crawl that met it. */
  readonly crawlId?: string;
  readonly visit?: CrawlPage;
}

const CRAWLS_LOOKED_AT = 20;
const LISTS_PER_CRAWL = 10;

/**
 * Looks a URL up among the documents, then in the newest crawls. The API has no question for one URL of all crawls, so
 * that only the first ten thousand URLs of each are looked through; the answer says so when that may matter.
 */
export async function diagnoseUrl(url: string, signal: AbortSignal): Promise<Diagnosis> {
  const document = await findDocument(url, signal);
  if (document !== undefined) return describeDocument(document);
  const crawls = await send<Page<Crawl>>(`/quarry/v1/crawls?limit=${CRAWLS_LOOKED_AT}`, { signal });
  const wanted = spellings(url);
  let sawAll = !crawls.hasMore;
  for (const crawl of crawls.data) {
    const { visit, isWhole } = await findVisit(crawl, wanted, signal);
    sawAll &&= isWhole;
    if (visit !== undefined) return describeVisit(crawl, visit);
  }
  return {
    isIndexed: false,
    sentence: sawAll ? say("crawl.noCrawlHasMetThis") : say("crawl.noDocumentHasThisAddress"),
    advice: crawls.data.length === 0 ? say("crawl.crawlItsSiteOrImport") : say("crawl.nothingTheCrawlsReadLinks"),
  };
}

/** A document that is there, in words. */
export function describeDocument(document: WholeDocument): Diagnosis {
  if (document.canonicalUrl !== null && document.canonicalUrl !== document.url) {
    return {
      isIndexed: false,
      sentence: say("crawl.itIsANearCopy", { canonicalUrl: document.canonicalUrl }),
      advice: say("crawl.searchFindsThatPageInstead"),
    };
  }
  return {
    isIndexed: true,
    sentence: say("crawl.itIsIndexedVersionWords", {
      version: document.version,
      wordCount: document.wordCount,
      crawledAt: document.crawledAt,
    }),
    advice: say("crawl.ifASearchDoesNot"),
  };
}

/** What a crawl made of a URL, in words. */
export function describeVisit(crawl: Crawl, visit: CrawlPage): Diagnosis {
  const found = { crawlId: crawl.id, visit, isIndexed: false };
  if (visit.state === "queued") {
    const isWaiting = crawl.status === "running" || crawl.status === "queued";
    return {
      ...found,
      sentence: isWaiting
        ? say("crawl.aCrawlHasFoundIt")
        : say("crawl.aCrawlFoundItAnd", {
            status: crawl.status,
            value: crawl.reason === null ? "" : ` (${crawl.reason})`,
          }),
      advice: isWaiting ? say("crawl.waitUntilItsTurnComes") : say("crawl.crawlItDirectlyOrCrawl"),
    };
  }
  const { words, advice } = meaningOfVisit(visit.status ?? "unknown");
  return { ...found, sentence: visit.message === null ? `${words}.` : `${words}: ${visit.message}`, advice };
}

async function findDocument(url: string, signal: AbortSignal): Promise<WholeDocument | undefined> {
  try {
    return await send<WholeDocument>(`/quarry/v1/documents?${new URLSearchParams({ url }).toString()}`, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function findVisit(
  crawl: Crawl,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<{ readonly visit?: CrawlPage; readonly isWhole: boolean }> {
  let cursor: string | null = null;
  for (let list = 0; list < LISTS_PER_CRAWL; list += 1) {
    const query = new URLSearchParams({ limit: "1000", ...(cursor === null ? {} : { cursor }) });
    const page: Page<CrawlPage> = await send(`/quarry/v1/crawls/${crawl.id}/pages?${query.toString()}`, { signal });
    const visit = page.data.find((one) => wanted.has(one.url) || (one.finalUrl !== null && wanted.has(one.finalUrl)));
    if (visit !== undefined) return { visit, isWhole: true };
    if (page.nextCursor === null) return { isWhole: true };
    cursor = page.nextCursor;
  }
  return { isWhole: false };
}

/** The ways in which one writes the same address. */
function spellings(url: string): ReadonlySet<string> {
  if (!URL.canParse(url)) return new Set([url]);
  const parsed = new URL(url);
  parsed.hash = "";
  const { href } = parsed;
  return new Set([url, href, href.replace(/\/$/, ""), `${href}/`]);
}
