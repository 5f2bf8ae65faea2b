import { createRobotsCache, type HttpGet, type HttpReply, type HttpStop, type Renderer } from "@quarry/crawl";
import {
  createCrawl,
  DEFAULT_RECRAWL,
  findCrawl,
  listCrawlPages,
  moveCrawlBy,
  type BlobStore,
  type Crawl,
  type CrawlRequest,
  type Database,
} from "@quarry/store";
import { createHostPaces } from "./crawl/host-paces.ts";
import { runCrawl, type CrawlDeps, type CrawlEnd } from "./crawl/run-crawl.ts";
import { extractContent } from "./extract-content.ts";
import { createSnapshotStore } from "./snapshot-store.ts";

/** A blob store in memory; tests damage its blobs by writing to `blobs`. */
export function memoryBlobStore(blobs = new Map<string, Uint8Array>()): BlobStore {
  return {
    put: (key, bytes) => Promise.resolve(void blobs.set(key, bytes)),
    get: (key) => Promise.resolve(blobs.get(key)),
    has: (key) => Promise.resolve(blobs.has(key)),
    delete: (key) => Promise.resolve(void blobs.delete(key)),
    // eslint-disable-next-line @typescript-eslint/require-await -- memory has nothing to wait for
    list: async function* (prefix) {
      for (const key of blobs.keys()) if (key.startsWith(prefix)) yield key;
    },
  };
}

/** What a fake web answers for a URL. */
export interface FakeReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A fake web: replies by URL, the n-th request (from 0) to it told apart; anything else is 404. */
export type FakeWeb = (
  url: string,
  time: number,
  headers: Readonly<Record<string, string>>,
) => FakeReply | HttpStop | undefined;

/** A crawl's surroundings without a network. `asked` are the URLs in the order of their requests, robots.txt aside. */
export function fakeCrawlDeps(
  database: Database,
  web: FakeWeb,
  surroundings: { readonly now?: () => Date; readonly render?: FakeRender } = {},
): CrawlDeps & { readonly asked: readonly string[]; readonly blobs: Map<string, Uint8Array> } {
  const asked: string[] = [];
  const blobs = new Map<string, Uint8Array>();
  const now = surroundings.now ?? (() => new Date());
  const get: HttpGet = async ({ url, headers, maxBytes }, signal) => {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const isRobots = url.endsWith("/robots.txt");
    const time = asked.filter((other) => other === url).length;
    if (!isRobots) asked.push(url);
    const reply = web(url, time, headers) ?? { status: 404 };
    return "kind" in reply ? reply : toHttpReply(url, reply, maxBytes);
  };
  return {
    asked,
    blobs,
    database,
    snapshots: createSnapshotStore(memoryBlobStore(blobs)),
    readPage: (page) => extractContent(page),
    get,
    robots: createRobotsCache({ get, now }, "QuarryBot"),
    paces: createHostPaces(now),
    agent: "QuarryBot",
    now,
    renderer: fakeRenderer(surroundings.render),
  };
}

/** A browser that makes of a page what `render` says; undefined stands for no browser. */
function fakeRenderer(render: FakeRender | undefined): Renderer {
  return {
    render: (page, signal) => {
      signal.throwIfAborted();
      if (render === undefined) return Promise.resolve({ kind: "no-browser", message: "no browser is installed" });
      const html = render(Buffer.from(page.bytes).toString("utf8"), page.url);
      if (typeof html !== "string") return Promise.resolve({ kind: "moved", to: html.movedTo });
      return Promise.resolve({ kind: "rendered", html: Buffer.from(html), cut: false, requests: 0, bytes: 0 });
    },
    close: () => Promise.resolve(),
  };
}

/** What a fake browser makes of a page, or where its scripts lead. */
export type FakeRender = (html: string, url: string) => string | { readonly movedTo: string };

function toHttpReply(url: string, { status = 200, headers = {}, body = "" }: FakeReply, maxBytes: number): HttpReply {
  const bytes = Buffer.from(body);
  return {
    kind: "reply",
    url,
    status,
    headers: { "content-type": "text/html; charset=utf-8", ...headers },
    body: bytes.subarray(0, maxBytes),
    truncated: bytes.byteLength > maxBytes,
  };
}

/** A page of HTML with links. */
export function pageWith(text: string, ...links: readonly string[]): FakeReply {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(" ");
  return { body: `<html><head><title>${text}</title></head><body><p>${text}</p>${anchors}</body></html>` };
}

/** A crawl of one host, without pause, re-visits or a browser. */
export const DEFAULT_REQUEST: Omit<CrawlRequest, "urls"> = {
  sitemaps: [],
  scope: "host",
  include: [],
  exclude: [],
  maxPages: 1_000,
  maxDepth: 10,
  maxBytes: 1e9,
  delayMs: 0,
  category: null,
  render: "never",
  recrawl: DEFAULT_RECRAWL,
};

/** What a crawl came to: how it ended, its row, and the status of every URL it knows. */
export interface CrawlResult {
  readonly end: CrawlEnd;
  readonly crawl: Crawl;
  readonly statuses: Readonly<Record<string, string | null>>;
}

/** Begins a crawl and runs it to its end, as its job would. */
export async function crawlToEnd(
  deps: CrawlDeps,
  request: Partial<CrawlRequest> & Pick<CrawlRequest, "urls">,
  { id = "crawl_1", signal = new AbortController().signal } = {},
): Promise<CrawlResult> {
  const { database } = deps;
  const whole = { ...DEFAULT_REQUEST, ...request };
  await createCrawl(database, { id, teamId: "one", request: whole, seeds: whole.urls }, deps.now());
  await database.transaction((tx) => moveCrawlBy(tx, id, { move: "start", now: deps.now() }));
  const crawl = await findCrawl(database, id);
  if (crawl === undefined) throw new Error("the crawl is gone");
  const end = await runCrawl(deps, crawl, signal);
  const ended = await findCrawl(database, id);
  const { data } = await listCrawlPages(database, id, { limit: 1_000 });
  return { end, crawl: ended ?? crawl, statuses: Object.fromEntries(data.map(({ url, status }) => [url, status])) };
}
