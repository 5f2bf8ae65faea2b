import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import {
  describeData,
  filesOfTar,
  generatedPages,
  pagesOfFiles,
  withMiniWeb,
  type MiniWebPages,
} from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { distinctPages } from "../../tools/bench/distinct-pages.ts";
import { readProcessTree, readThreadSeconds } from "../../tools/bench/process-tree.ts";
import { startLightEmbedder, type LightEmbedder } from "../../tools/light-embedder.ts";
import { startServerProcess, type ServerProcess } from "../../tools/server-process.ts";

/** A starved machine takes minutes for what is a few seconds of work: the pages are what is proved, not the pace. */
const LONG = 480_000;
const SETTINGS = { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", QUARRY_LOG_LEVEL: "warn", QUARRY_SAMPLE: "0" };

interface CrawlReply {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly progress: { readonly done: number; readonly queued: number; readonly failed: number };
  readonly pagesByStatus: Readonly<Record<string, number>>;
}

let home = "";
let embedder: LightEmbedder;
let server: ServerProcess;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), "quarry-crawl-"));
  embedder = await startLightEmbedder();
  server = await startServerProcess(home, { ...SETTINGS, ...embedder.settings });
}, LONG);

afterAll(async () => {
  await server.stop();
  await embedder.close();
  rmSync(home, { recursive: true, force: true });
}, LONG);

async function begin(request: Readonly<Record<string, unknown>>): Promise<string> {
  const { status, body } = await server.call("POST", "/quarry/v1/crawls", { delayMs: 0, maxPages: 10_000, ...request });
  expect([status, body]).toMatchObject([201, { status: "queued" }]);
  return (body as CrawlReply).id;
}

async function look(id: string): Promise<CrawlReply> {
  return (await server.call("GET", `/quarry/v1/crawls/${id}`)).body as CrawlReply;
}

async function finish(id: string): Promise<CrawlReply> {
  return vi.waitUntil(
    async () => {
      const crawl = await look(id);
      return ["completed", "failed", "canceled"].includes(crawl.status) ? crawl : undefined;
    },
    { timeout: LONG - 30_000, interval: 100 },
  );
}

/** The paths of all documents the team has of a web. */
async function storedPaths(origin: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let cursor = ""; ;) {
    const { body } = await server.call("GET", `/quarry/v1/documents?limit=100${cursor}`);
    const page = body as { data: { url: string }[]; nextCursor: string | null };
    const own = page.data.filter(({ url }) => new URL(url).origin === origin);
    paths.push(...own.map(({ url }) => new URL(url).pathname));
    if (page.nextCursor === null) return paths.sort();
    cursor = `&cursor=${page.nextCursor}`;
  }
}

describe("a crawl", () => {
  verifies(
    ["crawl:robots:refusal-recorded", "crawl:frontier:once-per-run"],
    "visits every page once, obeys robots.txt, tells what became of each URL",
    () => {
      const pages: MiniWebPages = (target) =>
        target === "/"
          ? {
              body: `<title>Start</title><p>A start.</p>${["/page/1", "/private/x", "/gone", "/loop", "/cut", "/image.png", "/data"].map((link) => `<a href="${link}">x</a>`).join(" ")}`,
            }
          : target === "/data"
            ? { body: new Uint8Array([0, 1, 2, 3]), contentType: "application/octet-stream" }
            : target === "/private/x" || target === "/cut"
              ? { body: "<p>text</p>" }
              : generatedPages(15)(target);
      const faults = { robotsTxt: "User-agent: *\nDisallow: /private/", loops: ["/loop"], cuts: ["/cut"] };
      return withMiniWeb(pages, faults, async (web) => {
        const crawl = await finish(await begin({ url: `${web.origin}/` }));
        expect(crawl).toMatchObject({ status: "completed", reason: "nothing-left", progress: { queued: 0 } });
        expect(crawl.pagesByStatus).toMatchObject({
          robots: 1,
          "not-there": 1,
          "redirect-loop": 1,
          "unsupported-type": 1,
          unreachable: 1,
        });
        const asked = web.requests.map(({ path: target }) => target).filter((target) => target.startsWith("/page/"));
        expect(new Set(asked).size).toBe(asked.length);
        expect(web.requests.map(({ path: target }) => target)).not.toContain("/private/x");
        const { body } = await server.call("GET", `/quarry/v1/crawls/${crawl.id}/pages?status=not-there`);
        expect(body).toMatchObject({
          data: [{ url: `${web.origin}/gone`, httpStatus: 404, foundOn: `${web.origin}/` }],
        });
      });
    },
    LONG,
  );

  verifies(
    ["crawl:control:pause", "crawl:control:resume", "crawl:control:cancel"],
    "pauses, goes on and is canceled on a word, and keeps what it read",
    () =>
      withMiniWeb(generatedPages(400), { delayMs: 20 }, async (web) => {
        const id = await begin({ url: `${web.origin}/` });
        await vi.waitUntil(async () => (await look(id)).progress.done > 10, { timeout: 30_000, interval: 50 });
        expect((await server.call("POST", `/quarry/v1/crawls/${id}/pause`)).body).toMatchObject({ status: "paused" });
        await new Promise((resolve) => setTimeout(resolve, 500));
        const resting = await look(id);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const { done, queued } = (await look(id)).progress;
        expect({ done, queued }).toEqual({ done: resting.progress.done, queued: resting.progress.queued });
        expect((await server.call("POST", `/quarry/v1/crawls/${id}/resume`)).status).toBe(200);
        await vi.waitUntil(async () => (await look(id)).progress.done > resting.progress.done + 10, {
          timeout: 30_000,
          interval: 50,
        });
        expect((await server.call("POST", `/quarry/v1/crawls/${id}/cancel`)).body).toMatchObject({
          status: "canceled",
        });
        expect((await server.call("POST", `/quarry/v1/crawls/${id}/cancel`)).body).toMatchObject({
          status: "canceled",
        });
        expect((await server.call("POST", `/quarry/v1/crawls/${id}/resume`)).status).toBe(409);
        expect((await storedPaths(web.origin)).length).toBeGreaterThan(20);
      }),
    LONG,
  );
});

/**
 * 150 pages a second on two cores: what server, database and web together, and what the busiest thread, may take for a
 * page. The clock is left out: a busy machine is slow, and `npm run bench -- --only crawl` reads it on one that is not.
 */
const MOST_SECONDS_A_PAGE = 2 / 150;
const MOST_SECONDS_OF_A_THREAD = 1 / 150;
const PAGES_TO_WARM_UP = 200;
const PAGES_TO_MEASURE = 300;

describe("the pace of a crawl", () => {
  verifies(
    "crawl:rate:150-pages-a-second",
    "leaves room for 150 pages a second on two cores, by the processor time of its threads",
    async () => {
      const pages = distinctPages(PAGES_TO_WARM_UP + PAGES_TO_MEASURE);
      await withMiniWeb(pages, {}, async (web) => {
        const id = await begin({ url: `${web.origin}/`, maxDepth: 100 });
        await vi.waitUntil(async () => (await look(id)).progress.done >= PAGES_TO_WARM_UP, { timeout: LONG });
        const began = (await look(id)).progress.done;
        const [threads, all, own] = [readThreadSeconds(server.pid), readProcessTree(server.pid), process.cpuUsage()];
        const { done } = (await finish(id)).progress;
        const busiest = Math.max(
          ...Array.from(readThreadSeconds(server.pid), ([thread, seconds]) => seconds - (threads.get(thread) ?? 0)),
        );
        const { user, system } = process.cpuUsage(own);
        const together = readProcessTree(server.pid).cpuSeconds - all.cpuSeconds + (user + system) / 1e6;
        expect(done).toBe(PAGES_TO_WARM_UP + PAGES_TO_MEASURE);
        expect(done - began).toBeGreaterThan(PAGES_TO_MEASURE / 2);
        expect(together / (done - began)).toBeLessThan(MOST_SECONDS_A_PAGE);
        expect(busiest / (done - began)).toBeLessThan(MOST_SECONDS_OF_A_THREAD);
      });
    },
    LONG,
  );
});

describeData("miniweb-git-htmldocs", (folder) => {
  verifies(
    ["crawl:miniweb:exact-pages"],
    "the Git manual: exactly the pages that its list names are stored, each fetched once",
    () => {
      const files = filesOfTar(gunzipSync(readFileSync(path.join(folder, "site.tar.gz"))));
      const expected = JSON.parse(readFileSync(path.join(folder, "expected-crawl.json"), "utf8")) as {
        reachable_pages: string[];
      };
      const names = expected.reachable_pages.map((name) => `/${name.replace(/^\//, "")}`).sort();
      return withMiniWeb(pagesOfFiles(files, "git.html"), {}, async (web) => {
        const crawl = await finish(await begin({ url: `${web.origin}/git.html`, maxDepth: 50 }));
        expect(crawl).toMatchObject({ status: "completed", pagesByStatus: { fetched: 229 } });
        expect(names.length).toBe(229);
        expect(await storedPaths(web.origin)).toEqual(names);
        const asked = web.requests.map(({ path: target }) => target).filter((target) => target.endsWith(".html"));
        expect(new Set(asked).size).toBe(asked.length);
      });
    },
    LONG,
  );
});
