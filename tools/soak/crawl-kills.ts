import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { sleep } from "@quarry/base";
import {
  filesOfTar,
  generatedPages,
  pagesOfFiles,
  serveMiniWeb,
  type MiniWeb,
  type MiniWebPages,
} from "@quarry/crawl/testing";
import { startLightEmbedder } from "../light-embedder.ts";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import type { Soak, SoakContext } from "./soak.ts";

const KILLS = 20;
const SETTINGS = { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", QUARRY_LOG_LEVEL: "warn", QUARRY_SAMPLE: "0" };
/** So slow that the crawl outlasts the kills; a part of the soak, with fewer of them, may go faster. */
const ANSWER_AFTER_MS = 400;
const PART_ANSWERS_AFTER_MS = 60;
/** One page in so many fails the first time it is asked for. */
const FAILS_EVERY = 9;
const LOOP = "/redirect-loop";
const GENERATED_PAGES = 230;
const MOVES_WITHIN_MS = 120_000;
const ENDS_WITHIN_MS = 600_000;

/** The web that is crawled, where a crawl begins, and what it must find. */
interface CrawledWeb {
  readonly pages: MiniWebPages;
  readonly start: string;
  readonly expected: readonly string[];
}

interface CrawlReply {
  readonly id: string;
  readonly status: string;
  readonly progress: { readonly done: number; readonly queued: number };
  readonly pagesByStatus: Readonly<Record<string, number>>;
}

/**
 * 20 times `kill -9` of the server while it crawls a web that is slow, fails at times, loops and lies about charsets:
 * in the end exactly the pages that can be reached are stored, each once.
 */
export const crawlKillsSoak: Soak = {
  name: "crawl-kills",
  run: (context) =>
    withDataDirectory(async (directory) => {
      const crawled = readWeb();
      const web = await serveMiniWeb(failingNowAndThen(crawled.pages, crawled.start), {
        delayMs: Math.max(PART_ANSWERS_AFTER_MS, ANSWER_AFTER_MS * context.size),
        loops: [LOOP],
        declaredCharset: "windows-1252",
      });
      // Vectors are not what is proved here, and a server that loads no model is back sooner after each kill.
      const embedder = await startLightEmbedder();
      const settings = { ...SETTINGS, ...embedder.settings };
      let server = await startServerProcess(directory, settings);
      try {
        const kills = Math.max(1, Math.ceil(KILLS * context.size));
        const request = { url: `${web.origin}${crawled.start}`, delayMs: 0, maxPages: 10_000, maxDepth: 50 };
        const { id } = (await server.call("POST", "/quarry/v1/crawls", request)).body as CrawlReply;
        let onTheWay = 0;
        for (let kill = 1; kill <= kills; kill += 1) {
          const crawl = await waitForMove(server, id, context);
          if (crawl.status === "running" || crawl.status === "queued") onTheWay += 1;
          await server.kill();
          context.report(`kill ${kill} of ${kills} at ${crawl.progress.done} pages`);
          server = await startServerProcess(directory, settings);
        }
        const crawl = await waitForEnd(server, id);
        const violations = await compare(server, crawled, crawl);
        const fetches = mostFetches(web);
        if (onTheWay < kills) violations.push(`only ${onTheWay} of ${kills} kills hit the crawl on its way`);
        if (fetches > kills + 2) violations.push(`a page was fetched ${fetches} times in ${kills + 1} runs`);
        const { done } = crawl.progress;
        return { figures: { kills, onTheWay, pages: done, requests: web.requests.length, fetches }, violations };
      } finally {
        await server.stop();
        await web.close();
        await embedder.close();
      }
    }),
};

function readWeb(): CrawledWeb {
  const folder = path.join(
    process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"),
    "miniweb-git-htmldocs",
  );
  if (!existsSync(folder)) {
    const numbers = Array.from({ length: GENERATED_PAGES - 1 }, (_, index) => `/page/${index + 1}`);
    return { pages: generatedPages(GENERATED_PAGES), start: "/", expected: ["/", ...numbers] };
  }
  const files = filesOfTar(gunzipSync(readFileSync(path.join(folder, "site.tar.gz"))));
  const expected = JSON.parse(readFileSync(path.join(folder, "expected-crawl.json"), "utf8")) as {
    readonly reachable_pages: readonly string[];
  };
  return {
    pages: pagesOfFiles(files, "git.html"),
    start: "/git.html",
    expected: expected.reachable_pages.map((name) => `/${name.replace(/^\//, "")}`),
  };
}

/** Every so many pages fail once with 503, and the first page links to a redirect loop. */
function failingNowAndThen(pages: MiniWebPages, start: string): MiniWebPages {
  const seen = new Set<string>();
  return (target) => {
    const page = pages(target);
    if (page === undefined) return undefined;
    const isNew = !seen.has(target);
    seen.add(target);
    if (isNew && seen.size % FAILS_EVERY === 0) return { status: 503, body: "not now", contentType: "text/plain" };
    if (target !== start) return page;
    return { ...page, body: `${Buffer.from(page.body).toString("utf8")}<p><a href="${LOOP}">and on</a></p>` };
  };
}

async function look(server: ServerProcess, id: string): Promise<CrawlReply> {
  return (await server.call("GET", `/quarry/v1/crawls/${id}`)).body as CrawlReply;
}

/** Waits until the crawl has moved since the last kill, or strikes at once, as chance has it. */
async function waitForMove(server: ServerProcess, id: string, { random }: SoakContext): Promise<CrawlReply> {
  const before = await look(server, id);
  if (random.chance(0.9)) {
    for (const end = performance.now() + MOVES_WITHIN_MS; performance.now() < end;) {
      if ((await look(server, id)).progress.done > before.progress.done) break;
      await sleep(20);
    }
  }
  await sleep(random.integer(0, 500));
  return look(server, id);
}

async function waitForEnd(server: ServerProcess, id: string): Promise<CrawlReply> {
  for (const end = performance.now() + ENDS_WITHIN_MS; ;) {
    const crawl = await look(server, id);
    if (["completed", "failed", "canceled"].includes(crawl.status) || performance.now() > end) return crawl;
    await sleep(100);
  }
}

async function compare(server: ServerProcess, { expected }: CrawledWeb, crawl: CrawlReply): Promise<string[]> {
  const stored = await storedPaths(server);
  const violations = crawl.status === "completed" ? [] : [`the crawl is ${crawl.status} in the end`];
  for (const name of expected) if (!stored.includes(name)) violations.push(`${name} is lost`);
  for (const name of new Set(stored)) if (!expected.includes(name)) violations.push(`${name} is too much`);
  if (new Set(stored).size !== stored.length) violations.push("a page is stored twice");
  if ((crawl.pagesByStatus["redirect-loop"] ?? 0) !== 1) violations.push("the redirect loop is not told of");
  return violations;
}

async function storedPaths(server: ServerProcess): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let cursor = ""; ;) {
    const { body } = await server.call("GET", `/quarry/v1/documents?limit=100${cursor}`);
    const page = body as { readonly data: readonly { readonly url: string }[]; readonly nextCursor: string | null };
    paths.push(...page.data.map(({ url }) => new URL(url).pathname));
    if (page.nextCursor === null) return paths;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

function mostFetches({ requests }: MiniWeb): number {
  const counts = new Map<string, number>();
  for (const { path: target } of requests) {
    if (target !== "/robots.txt" && !target.startsWith(LOOP)) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
