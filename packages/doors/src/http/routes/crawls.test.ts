import { createCrawlJobHandler, mapSite } from "@quarry/ingest";
import { fakeCrawlDeps, pageWith, type FakeWeb } from "@quarry/ingest/testing";
import { CRAWL_JOB, startJobRunner } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { crawlRoutes } from "./crawls.ts";

const PATH = "/quarry/v1/crawls";
const inside = "https://inside.example";

const WEB: FakeWeb = (url) => {
  const { pathname } = new URL(url);
  if (pathname === "/robots.txt") {
    const body = `User-agent: *\nDisallow: /no\nSitemap: ${inside}/map.xml`;
    return { body, headers: { "content-type": "text/plain" } };
  }
  if (pathname === "/map.xml") {
    const body = `<urlset><url><loc>${inside}/mapped</loc></url><url><loc>${inside}/1</loc></url></urlset>`;
    return { body, headers: { "content-type": "application/xml" } };
  }
  if (pathname === "/") return pageWith("start", "/1", "/2", "/no/3", "/missing");
  return ["/1", "/2", "/mapped"].includes(pathname) ? pageWith(`page ${pathname}`) : undefined;
};

/** An app whose crawls may read `inside.example` without pause; `asked` are the URLs that were. */
function withCrawls(work: (world: HttpWorld, asked: readonly string[]) => Promise<void>): Promise<void> {
  let asked: readonly string[] = [];
  return withHttpApp(
    (world) => work(world, asked),
    ({ db }) => {
      const deps = fakeCrawlDeps(db, WEB);
      asked = deps.asked;
      return {
        routes: crawlRoutes({
          db,
          clock: { now: () => new Date() },
          isOpenedHost: (url) => url.startsWith(inside),
          mapSite: (wish, signal) => mapSite(deps, wish, signal),
        }),
      };
    },
  );
}

/** Does the crawls' jobs until one has ended. */
async function runToEnd(world: HttpWorld, id: string): Promise<Record<string, unknown>> {
  const handlers = { [CRAWL_JOB]: createCrawlJobHandler(fakeCrawlDeps(world.db, WEB)) };
  const runner = await startJobRunner({ database: world.db, handlers });
  try {
    return await vi.waitUntil(
      async () => {
        const crawl = (await world.call("GET", `${PATH}/${id}`)).json<Record<string, unknown>>();
        return crawl["status"] === "completed" ? crawl : undefined;
      },
      { timeout: 15_000 },
    );
  } finally {
    await runner.stop({ deadlineMs: 1_000 });
  }
}

async function begin(world: HttpWorld, body: Readonly<Record<string, unknown>>): Promise<string> {
  const reply = await world.call("POST", PATH, { body: { delayMs: 0, ...body } });
  expect([reply.statusCode, reply.body]).toEqual([201, expect.any(String)]);
  return reply.json<{ id: string }>().id;
}

describe("crawls over HTTP", () => {
  verifies(
    [
      "crawl:api:create",
      "crawl:api:get",
      "crawl:control:status-values",
      "crawl:progress:figures",
      "crawl:api:delay-ms",
    ],
    "are begun with their limits, and tell what became of them",
    () =>
      withCrawls(async (world) => {
        const asked = {
          maxPages: 50,
          maxDepth: 3,
          maxBytes: 1e6,
          include: ["**"],
          exclude: ["*/never/*"],
          scope: "path",
          delayMs: 0,
          category: "docs",
          render: "auto",
          recrawl: { enabled: true, minHours: 2 },
        };
        const begun = await world.call("POST", PATH, { body: { ...asked, url: `${inside}/?utm_source=x` } });
        expect([begun.statusCode, begun.json()]).toMatchObject([
          201,
          {
            object: "crawl",
            status: "queued",
            round: 1,
            request: { ...asked, urls: [`${inside}/`], recrawl: { enabled: true, minHours: 2, maxHours: 2160 } },
            progress: { done: 0, queued: 1, pagesPerSecond: 0, secondsLeft: null },
          },
        ]);
        const { id } = begun.json<{ id: string }>();
        expect(await runToEnd(world, id)).toMatchObject({
          status: "completed",
          reason: "nothing-left",
          progress: { done: 5, failed: 2, queued: 0, bytes: expect.any(Number) as number },
          pagesByStatus: { fetched: 3, robots: 1, "not-there": 1 },
          nextRoundAt: expect.stringMatching(/^20/) as string,
        });
        const { data } = (await world.call("GET", `${PATH}/${id}/pages?status=robots`)).json<{ data: unknown[] }>();
        expect(data).toMatchObject([{ url: `${inside}/no/3`, state: "done", rendered: false, foundOn: `${inside}/` }]);
        expect((await world.call("GET", PATH)).json()).toMatchObject({ data: [{ id }], hasMore: false });
      }),
  );

  verifies("crawl:sitemap:from-robots", "may begin with a sitemap, whose pages they visit", () =>
    withCrawls(async (world) => {
      const id = await begin(world, { sitemap: `${inside}/map.xml` });
      expect(await runToEnd(world, id)).toMatchObject({ pagesByStatus: { fetched: 2 } });
    }),
  );

  verifies(
    ["crawl:bad-input:not-a-url", "crawl:bad-input:ftp", "crawl:api:delay-zero-private-only"],
    "are refused with what is wrong: no URL, another scheme, no pause on the open web",
    () =>
      withCrawls(async (world) => {
        const refusal = async (body: unknown): Promise<string> => {
          const reply = await world.call("POST", PATH, { body });
          expect(reply.statusCode).toBe(400);
          return reply.body;
        };
        expect(await refusal({ url: "not a url" })).toMatch(/not a url|URL/i);
        expect(await refusal({ url: "ftp://e.example/" })).toMatch(/http/);
        expect(await refusal({ url: "https://e.example/", delayMs: 0 })).toContain("QUARRY_ALLOW_PRIVATE_HOSTS");
        expect(await refusal({ url: "https://e.example/", urls: ["https://e.example/"] })).toContain("exactly one");
        expect(await refusal({})).toContain("exactly one");
        expect(await refusal({ url: "https://e.example/", render: "sometimes" })).toContain("render");
        const hours = { enabled: true, minHours: 5, maxHours: 1 };
        expect(await refusal({ url: "https://e.example/", recrawl: hours })).toContain("minHours");
      }),
  );

  verifies("crawl:api:cancel", "are ended on a word, once, and by their own team alone", () =>
    withCrawls(async (world) => {
      const id = await begin(world, { url: `${inside}/` });
      const { secret } = await world.makeKey({ teamId: await world.makeTeam() });
      expect((await world.call("POST", `${PATH}/${id}/cancel`, { key: secret })).statusCode).toBe(404);
      expect((await world.call("GET", `${PATH}/${id}`, { key: secret })).statusCode).toBe(404);
      for (const time of [1, 2]) {
        const reply = await world.call("POST", `${PATH}/${id}/cancel`);
        expect([time, reply.json()]).toMatchObject([time, { status: "canceled" }]);
      }
      expect((await world.call("POST", `${PATH}/${id}/pause`)).statusCode).toBe(409);
    }),
  );

  verifies("crawl:progress:sse", "stream their progress until they end", () =>
    withCrawls(async (world) => {
      const id = await begin(world, { url: `${inside}/` });
      const [stream] = await Promise.all([world.call("GET", `${PATH}/${id}/events`), runToEnd(world, id)]);
      expect(stream.headers["content-type"]).toContain("text/event-stream");
      expect(stream.body).toContain("event: crawl.queued\n");
      const last = stream.body.trimEnd().split("\n\n").at(-1) ?? "";
      expect(last).toMatch(/^event: crawl\.completed\ndata: \{.*"pagesByStatus":\{.*"fetched":3/);
    }),
  );

  it("visit again only when switched on, and show when", () =>
    withCrawls(async (world) => {
      const id = await begin(world, { url: `${inside}/` });
      expect(await runToEnd(world, id)).toMatchObject({ nextRoundAt: null });
      const on = await world.call("POST", `${PATH}/${id}/recrawl`, { body: { enabled: true, maxHours: 48 } });
      expect(on.json()).toMatchObject({ request: { recrawl: { enabled: true, minHours: 1, maxHours: 48 } } });
      const { nextRoundAt } = (await world.call("GET", `${PATH}/${id}`)).json<{ nextRoundAt: string }>();
      expect(Date.parse(nextRoundAt) - Date.now()).toBeLessThan(49 * 3_600_000);
      await world.call("POST", `${PATH}/${id}/recrawl`, { body: { enabled: false } });
      expect((await world.call("GET", `${PATH}/${id}`)).json()).toMatchObject({ nextRoundAt: null });
    }));
});

verifies("crawl:map:urls-without-fetching", "a site's URLs are listed from its sitemaps and its first page alone", () =>
  withCrawls(async (world, asked) => {
    const reply = await world.call("POST", "/quarry/v1/map", { body: { url: `${inside}/` } });
    const { urls, truncated } = reply.json<{ urls: string[]; truncated: boolean }>();
    expect(urls.toSorted()).toEqual(["/", "/1", "/2", "/mapped", "/missing", "/no/3"].map((path) => inside + path));
    expect(truncated).toBe(false);
    expect(asked).toEqual([`${inside}/map.xml`, `${inside}/`]);
    const short = await world.call("POST", "/quarry/v1/map", { body: { url: `${inside}/`, limit: 2 } });
    expect(short.json()).toMatchObject({ truncated: true, urls: { length: 2 } });
  }),
);
