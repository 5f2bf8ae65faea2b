import {
  CRAWL_JOB,
  createCrawl,
  findCrawl,
  listCrawlPages,
  startDueRounds,
  startJobRunner,
  type Crawl,
  type CrawlRequest,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { expect, it } from "vitest";
import { DEFAULT_REQUEST, fakeCrawlDeps, pageWith, type FakeReply, type FakeWeb } from "../testing.ts";
import { createCrawlJobHandler } from "./crawl-job.ts";
import type { CrawlDeps } from "./run-crawl.ts";

const site = "https://e.example";
const sitemapOf = (...urls: readonly string[]): FakeReply => ({
  body: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`,
  headers: { "content-type": "application/xml" },
});

/** Does the crawl's job as it stands; answers its row and the state of all its URLs. */
async function doJob(deps: CrawlDeps) {
  const runner = await startJobRunner({
    database: deps.database,
    handlers: { [CRAWL_JOB]: createCrawlJobHandler(deps) },
  });
  try {
    const isOver = async (): Promise<Crawl | undefined> => {
      const crawl = await findCrawl(deps.database, "c");
      return crawl?.status === "completed" ? crawl : undefined;
    };
    await expect.poll(isOver, { timeout: 10_000 }).toBeDefined();
  } finally {
    await runner.stop({ deadlineMs: 1_000 });
  }
  const { data } = await listCrawlPages(deps.database, "c", { limit: 100 });
  const pages = Object.fromEntries(data.map(({ url, status, message }) => [url, { status, message }]));
  return { crawl: await findCrawl(deps.database, "c"), pages };
}

function begin(deps: CrawlDeps, request: Partial<CrawlRequest>): Promise<Crawl> {
  const whole = { ...DEFAULT_REQUEST, urls: [], ...request };
  return createCrawl(deps.database, { id: "c", teamId: "one", request: whole, seeds: [] }, deps.now());
}

it("tells of every sitemap that could not be read, or not as a whole, and reads the others", () =>
  withDatabase(async (database) => {
    const web: FakeWeb = (url) => {
      const { pathname } = new URL(url);
      if (pathname === "/good.xml") return sitemapOf(`${site}/1`);
      if (pathname === "/cut.xml")
        return { ...sitemapOf(), body: `<urlset><url><loc>${site}/2</loc></url><url><loc>ht` };
      return ["/1", "/2"].includes(pathname) ? pageWith(`page ${pathname}`) : undefined;
    };
    const deps = fakeCrawlDeps(database, web);
    await begin(deps, { sitemaps: ["missing", "good", "cut"].map((name) => `${site}/${name}.xml`) });
    const { crawl, pages } = await doJob(deps);
    expect(pages).toEqual({
      [`${site}/missing.xml`]: { status: "sitemap-unreachable", message: `${site}/missing.xml answered 404` },
      [`${site}/cut.xml`]: { status: "sitemap-ended-early", message: expect.any(String) as string },
      [`${site}/1`]: { status: "fetched", message: null },
      [`${site}/2`]: { status: "fetched", message: null },
    });
    expect([crawl?.pagesDone, crawl?.pagesFailed, crawl?.sitemapsReadAt]).toEqual([2, 2, null]);
  }));

it("says nothing of a sitemap that names more than the crawl may read", () =>
  withDatabase(async (database) => {
    const urls = ["/1", "/2", "/3"].map((path) => `${site}${path}`);
    const web: FakeWeb = (url) => (url.endsWith(".xml") ? sitemapOf(...urls) : pageWith(`page ${url}`));
    const deps = fakeCrawlDeps(database, web);
    await begin(deps, { sitemaps: [`${site}/map.xml`], maxPages: 2 });
    const { crawl, pages } = await doJob(deps);
    expect(Object.keys(pages)).toEqual(urls.slice(0, 2));
    expect([crawl?.pagesFailed, crawl?.sitemapsReadAt]).toEqual([0, expect.any(Date)]);
  }));

it("reads a sitemap that failed again in the next round, and forgets the failure", () =>
  withDatabase(async (database) => {
    let time = Date.parse("2026-01-01T00:00:00Z");
    const web: FakeWeb = (url, count) => {
      if (url === `${site}/other.xml`) return count === 0 ? { status: 503 } : sitemapOf(`${site}/2`);
      return url === `${site}/map.xml` ? sitemapOf(`${site}/1`) : pageWith(`page ${url}`);
    };
    const deps = fakeCrawlDeps(database, web, { now: () => new Date(time) });
    const recrawl = { enabled: true, minHours: 1, maxHours: 1 };
    await begin(deps, { sitemaps: [`${site}/map.xml`, `${site}/other.xml`], recrawl });
    const first = await doJob(deps);
    expect(first.pages[`${site}/other.xml`]?.status).toBe("sitemap-unreachable");
    time += 2 * 60 * 60 * 1000;
    expect(await startDueRounds(database, deps.now())).toHaveLength(1);
    const { crawl, pages } = await doJob(deps);
    expect(Object.keys(pages).sort()).toEqual([`${site}/1`, `${site}/2`]);
    expect([crawl?.pagesFailed, crawl?.sitemapsReadAt]).toEqual([0, deps.now()]);
  }));
