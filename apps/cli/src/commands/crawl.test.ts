import type { ServerResponse } from "node:http";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { renderProgress } from "../render-crawl.ts";
import type { CrawlState } from "../render-crawl.ts";
import { cliWorld, serveApi } from "../testing.ts";
import type { ApiAnswer, SeenRequest } from "../testing.ts";

const begun: CrawlState = {
  id: "crawl_1",
  object: "crawl",
  status: "running",
  reason: null,
  request: {
    urls: ["https://e.org/"],
    sitemaps: [],
    scope: "host",
    include: [],
    exclude: [],
    maxPages: 40,
    maxDepth: 10,
    maxBytes: 1,
    delayMs: 1000,
    category: null,
    render: "never",
    recrawl: { enabled: false, minHours: 1, maxHours: 2160 },
  },
  round: 1,
  progress: { done: 10, failed: 3, queued: 90, bytes: 2048, pagesPerSecond: 2.5, secondsLeft: 12 },
  createdAt: "2030-01-01T00:00:00.000Z",
  startedAt: "2030-01-01T00:00:00.000Z",
  finishedAt: null,
  nextRoundAt: null,
  pagesByStatus: { fetched: 7, "not-there": 2, timeout: 1 },
};
const completed: CrawlState = {
  ...begun,
  status: "completed",
  reason: "nothing-left",
  finishedAt: "2030-01-01T00:00:04.000Z",
};

/** A server with one crawl, whose event stream says `states` and then ends, each time it is opened. */
function serveCrawl(...states: readonly CrawlState[]) {
  return serveStream((response) => {
    for (const state of states) response.write(`event: crawl.${state.status}\ndata: ${JSON.stringify(state)}\n\n`);
    response.end();
  });
}

function serveStream(stream: (response: ServerResponse) => void) {
  return serveApi(({ method, url }: SeenRequest): ApiAnswer | ((response: ServerResponse) => void) => {
    if (url.endsWith("/events")) {
      return (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        stream(response);
      };
    }
    if (url.endsWith("/cancel")) return { body: { ...begun, status: "canceled" } };
    return method === "POST" ? { status: 201, body: { ...begun, status: "queued" } } : { body: begun };
  });
}

describe("quarry crawl", () => {
  it("asks for what the options say, and shows what came of it", async () => {
    const api = await serveCrawl(begun, completed);
    const args = ["https://e.org/", "--max-pages", "5", "--scope", "path", "--include", "*/a/*", "--include", "*/b/*"];
    const run = await cliWorld().run("crawl", ...args, "--delay", "20", "--category", "news", "--url", api.url);
    expect(run).toEqual({
      code: 0,
      stdout:
        "completed (nothing-left): 10 visited, 2.0 KB, 4 s, 2.5 pages/s\n\n" +
        "STATUS     PAGES\nfetched        7\nnot-there      2\ntimeout        1\n",
      stderr: "Crawling as crawl_1\n",
    });
    expect(api.seen[0]).toMatchObject({
      method: "POST",
      url: "/quarry/v1/crawls",
      body: {
        url: "https://e.org/",
        maxPages: 5,
        scope: "path",
        include: ["*/a/*", "*/b/*"],
        delayMs: 20,
        category: "news",
      },
    });
  });

  verifies("crawl:progress:cli-bar", "shows a bar in one line of a terminal", async () => {
    const api = await serveCrawl(begun, completed);
    const { stderr } = await cliWorld({ terminal: true }).run("crawl", "https://e.org/", "--url", api.url);
    expect(stderr).toContain(
      "\r\u001B[K[#####---------------] 10/40  2.5 pages/s  queue 90  failed 3 (not-there 2, timeout 1)  12 s left\r",
    );
    const output = { ...cliWorld().context.stderr, isTerminal: true };
    const narrow = { ...output, stream: Object.assign(output.stream, { columns: 40 }) };
    expect(renderProgress(narrow, begun)).toHaveLength(39);
  });

  it("prints the id alone with --no-wait, and a sitemap is asked for as one", async () => {
    const api = await serveCrawl();
    const run = await cliWorld().run("crawl", "https://e.org/s.xml", "--sitemap", "--no-wait", "--url", api.url);
    expect(run).toEqual({ code: 0, stdout: "crawl_1\n", stderr: "" });
    expect(api.seen.map(({ body }) => body)).toEqual([{ sitemap: "https://e.org/s.xml" }]);
  });

  it.each([
    ["failed", { ...completed, status: "failed" }, 1],
    ["read nothing", { ...completed, pagesByStatus: { robots: 10 } }, 1],
    ["was canceled by another", { ...completed, status: "canceled" }, 6],
    ["met unchanged pages alone", { ...completed, pagesByStatus: { "not-modified": 10 } }, 0],
  ] as const)("tells by its exit code that the crawl %s", async (_name, state, code) => {
    const api = await serveCrawl(state);
    expect((await cliWorld().run("crawl", "https://e.org/", "--json", "--url", api.url)).code).toBe(code);
  });

  it("opens the stream again when the server breaks it off", async () => {
    let opened = 0;
    const api = await serveStream((response) => {
      opened += 1;
      const state = opened === 1 ? begun : completed;
      response.write(`data: ${JSON.stringify(state)}\n\n`, () => (opened === 1 ? response.destroy() : response.end()));
    });
    const run = await cliWorld().run("crawl", "https://e.org/", "--json", "--url", api.url);
    expect([run.code, opened, JSON.parse(run.stdout)]).toEqual([0, 2, completed]);
  });

  it("cancels the crawl and ends with 130 when interrupted", async () => {
    const interrupt = new AbortController();
    const api = await serveStream((response) => {
      response.write(`data: ${JSON.stringify(begun)}\n\n`, () => interrupt.abort());
    });
    const run = await cliWorld({ signal: interrupt.signal }).run("crawl", "https://e.org/", "--url", api.url);
    expect([run.code, run.stdout, run.stderr]).toEqual([130, "", expect.stringContaining("Canceled crawl_1")]);
    expect(api.seen.at(-1)).toMatchObject({ method: "POST", url: "/quarry/v1/crawls/crawl_1/cancel" });
  });

  it("steers and shows crawls by their id", async () => {
    const api = await serveApi(({ url }) => ({
      body: url.endsWith("/pause") ? { ...begun, status: "paused" } : begun,
    }));
    const pause = await cliWorld().run("crawl", "pause", "crawl_1", "--url", api.url);
    expect(pause).toEqual({ code: 0, stdout: "crawl_1 is paused\n", stderr: "" });
    const show = await cliWorld().run("crawl", "show", "crawl_1", "--url", api.url);
    expect(show.stdout).toContain("Start  https://e.org/\n");
  });
});
