import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { claimJobs } from "../jobs/claim-jobs.ts";
import { requeueLostJobs } from "../jobs/settle-job.ts";
import { withDatabase } from "../testing.ts";
import { countRedirectsTo } from "./count-redirects.ts";
import { isPageKnown, nextPageAt, nextPages, postponePage, queuePages, type PageToQueue } from "./crawl-frontier.ts";
import { DEFAULT_RECRAWL, type CrawlRequest } from "./crawl.ts";
import { createCrawl, CRAWL_JOB, findCrawl, moveCrawlBy, steerCrawl } from "./manage-crawls.ts";
import { recordVisits, REDIRECTED, type VisitedPage } from "./record-visits.ts";

const now = new Date("2026-01-01T00:00:00Z");
const later = new Date("2026-01-01T01:00:00Z");
const request: CrawlRequest = {
  urls: [],
  sitemaps: [],
  scope: "host",
  include: [],
  exclude: [],
  maxPages: 100,
  maxDepth: 10,
  maxBytes: 1e9,
  delayMs: 0,
  category: null,
  render: "never",
  recrawl: DEFAULT_RECRAWL,
};

/** A crawl with these pages in its frontier. */
async function crawlOf(database: Database, pages: readonly (Partial<PageToQueue> & { readonly url: string })[]) {
  await createCrawl(database, { id: "c", teamId: "one", request, seeds: [] }, now);
  await database.transaction((tx) =>
    queuePages(
      tx,
      "c",
      pages.map((page) => ({ depth: 1, foundOn: null, ...page })),
      now,
    ),
  );
}

const look = (database: Database, options: Partial<Parameters<typeof nextPages>[2]> = {}) =>
  nextPages(database, "c", { limit: 10, except: [], exceptHosts: [], now, ...options }).then((pages) =>
    pages.map(({ url }) => url),
  );

const visited = (url: string, change: Partial<VisitedPage> = {}): VisitedPage => ({
  url,
  status: "fetched",
  message: null,
  httpStatus: 200,
  finalUrl: null,
  snapshotId: null,
  byteLength: 10,
  isGood: true,
  rendered: false,
  schedule: null,
  ...change,
});

describe("the next pages", () => {
  verifies("crawl:frontier:priority", "come by priority, over all hosts, then in the order of discovery", () =>
    withDatabase(async (database) => {
      await crawlOf(database, [
        { url: "https://b.example/1", priority: 100 },
        { url: "https://a.example/1", priority: 500 },
        { url: "https://a.example/2", priority: 100 },
        { url: "https://b.example/2", priority: 900 },
        { url: "https://c.example/1", priority: 500 },
      ]);
      expect(await look(database)).toEqual([
        "https://b.example/2",
        "https://a.example/1",
        "https://c.example/1",
        "https://b.example/1",
        "https://a.example/2",
      ]);
      expect(await look(database, { limit: 2 })).toEqual(["https://b.example/2", "https://a.example/1"]);
    }),
  );

  it("leave out what is under way, hosts that rest, and what is put off", () =>
    withDatabase(async (database) => {
      await crawlOf(
        database,
        ["a", "b", "c"].flatMap((host) => [1, 2].map((n) => ({ url: `https://${host}.example/${n}` }))),
      );
      await postponePage(database, "c", { url: "https://a.example/2", nextAt: later, message: "busy" });
      expect(await look(database, { except: ["https://a.example/1"], exceptHosts: ["b.example"] })).toEqual([
        "https://c.example/1",
        "https://c.example/2",
      ]);
      expect(await look(database, { now: later, exceptHosts: ["b.example", "c.example"] })).toEqual([
        "https://a.example/1",
        "https://a.example/2",
      ]);
    }));

  it("are found by an index that reads no other host's rows", () =>
    withDatabase(async (database) => {
      const many = Array.from({ length: 3_000 }, (_, index) => ({
        url: `https://big.example/${index}`,
        priority: 900,
      }));
      await crawlOf(database, [...many, { url: "https://small.example/", priority: 1 }]);
      await database.query("ANALYZE crawl_pages");
      expect(await look(database, { exceptHosts: ["big.example"] })).toEqual(["https://small.example/"]);
      const plan = await database.query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT url FROM crawl_pages WHERE crawl_id = 'c' AND state = 'queued' AND host = 'big.example'
         ORDER BY priority DESC, place LIMIT 10`,
      );
      const text = plan.map((line) => line["QUERY PLAN"]).join("\n");
      expect(text).toContain("crawl_pages_next");
      expect(text).not.toContain("Sort");
    }));
});

describe("the frontier", () => {
  it("takes a URL once, however many find it at one time, and counts it once", () =>
    withDatabase(async (database) => {
      await crawlOf(database, []);
      const pages = ["/1", "/2", "/3"].map((path) => ({ url: `https://e.example${path}`, depth: 1, foundOn: null }));
      const added = await Promise.all(
        Array.from({ length: 8 }, () => database.transaction((tx) => queuePages(tx, "c", pages, now))),
      );
      expect(added.reduce((sum, count) => sum + count, 0)).toBe(3);
      expect(await findCrawl(database, "c")).toMatchObject({ pagesQueued: 3 });
      expect(await isPageKnown(database, "c", "https://e.example/1")).toBe(true);
      expect(await isPageKnown(database, "c", "https://e.example/4")).toBe(false);
    }));

  verifies(
    "durability:long-work:units-idempotent",
    "records a visit once, also when two workers bring it at one time",
    () =>
      withDatabase(async (database) => {
        const urls = Array.from({ length: 20 }, (_, index) => `https://e.example/${index}`);
        await crawlOf(
          database,
          urls.map((url) => ({ url })),
        );
        const visits = urls.map((url, index) =>
          visited(url, index === 0 ? { status: REDIRECTED } : index === 1 ? { status: "timeout", isGood: false } : {}),
        );
        await Promise.all(
          Array.from({ length: 4 }, () => database.transaction((tx) => recordVisits(tx, "c", visits, now))),
        );
        expect(await findCrawl(database, "c")).toMatchObject({
          pagesQueued: 0,
          pagesDone: 19,
          pagesFailed: 1,
          bytes: 200,
        });
        expect(await look(database)).toEqual([]);
        expect(await nextPageAt(database, "c")).toBeUndefined();
      }),
  );

  it("answers what is spent of the budget with each batch", () =>
    withDatabase(async (database) => {
      await crawlOf(database, [{ url: "https://e.example/1" }, { url: "https://e.example/2" }]);
      const record = (url: string) => database.transaction((tx) => recordVisits(tx, "c", [visited(url)], now));
      expect(await record("https://e.example/1")).toEqual({ pages: 1, bytes: 10 });
      expect(await record("https://e.example/1")).toEqual({ pages: 1, bytes: 10 });
      expect(await record("https://e.example/2")).toEqual({ pages: 2, bytes: 20 });
    }));
});

describe("a crawl's job", () => {
  verifies(
    "durability:long-work:dead-worker-replaced",
    "is claimed by one worker, and by another once the lease is lost; the frontier stands where it stood",
    () =>
      withDatabase(async (database) => {
        await crawlOf(database, [{ url: "https://e.example/1" }, { url: "https://e.example/2" }]);
        const claim = () => claimJobs(database, { kinds: [CRAWL_JOB], limit: 5, leaseMs: 60_000, workerId: "w" });
        const [first, second] = await Promise.all([claim(), claim()]);
        expect([...first, ...second]).toHaveLength(1);
        await database.transaction((tx) => recordVisits(tx, "c", [visited("https://e.example/1")], now));
        await database.query("UPDATE jobs SET lease_expires_at = now() - interval '1 second' WHERE state = 'running'");
        await requeueLostJobs(database);

        expect(
          await claimJobs(database, {
            kinds: [CRAWL_JOB],
            limit: 5,
            leaseMs: 60_000,
            workerId: "x",
            dueAt: new Date(Date.now() + 3_600_000),
          }),
        ).toHaveLength(1);
        expect(await look(database)).toEqual(["https://e.example/2"]);
      }),
  );

  verifies(
    "durability:long-work:state-event-jobs-together",
    "is written with the crawl, its pages and its event, or none of them is",
    () =>
      withDatabase(async (database) => {
        const begin = (id: string) =>
          createCrawl(database, { id, teamId: "one", request, seeds: ["https://e.example/"] }, now);
        const count = async (table: string): Promise<number> =>
          (await database.query(`SELECT FROM ${table} WHERE $1::text IS NOT NULL`, [table])).length;
        await begin("whole");
        const before = await Promise.all(["crawls", "crawl_pages", "jobs", "events"].map(count));
        expect(before).toEqual([1, 1, 1, 1]);
        for (const table of ["events", "jobs"]) {
          await database.query(`ALTER TABLE ${table} ADD CONSTRAINT full_up CHECK (false) NOT VALID`);
          await expect(begin(`without-${table}`)).rejects.toThrow();
          await expect(steerCrawl(database, "one", { id: "whole", move: "cancel", now })).rejects.toThrow();
          await database.query(`ALTER TABLE ${table} DROP CONSTRAINT full_up`);
        }
        expect(await Promise.all(["crawls", "crawl_pages", "jobs", "events"].map(count))).toEqual(before);
        expect(await findCrawl(database, "whole")).toMatchObject({ status: "queued" });
      }),
  );

  it("is called off by pause and cancel in the middle; resuming queues another, and nothing is lost", () =>
    withDatabase(async (database) => {
      await crawlOf(database, [{ url: "https://e.example/1" }, { url: "https://e.example/2" }]);
      const steer = (move: "pause" | "resume" | "cancel") => steerCrawl(database, "one", { id: "c", move, now });
      await database.transaction((tx) => moveCrawlBy(tx, "c", { move: "start", now }));
      await database.transaction((tx) => recordVisits(tx, "c", [visited("https://e.example/1")], now));
      await steer("pause");
      // A worker that does not know yet can neither finish nor start it; what it had read counts.
      expect(await database.transaction((tx) => moveCrawlBy(tx, "c", { move: "complete", now }))).toBeUndefined();
      expect(await database.transaction((tx) => moveCrawlBy(tx, "c", { move: "start", now }))).toBeUndefined();
      await database.transaction((tx) => recordVisits(tx, "c", [visited("https://e.example/2")], now));
      const resumed = await steer("resume");
      expect(resumed).toMatchObject({ status: "queued", pagesDone: 2, pagesQueued: 0 });
      const open = await database.query("SELECT FROM jobs WHERE kind = $1 AND state = 'queued'", [CRAWL_JOB]);
      expect(open).toHaveLength(1);
      await steer("cancel");
      await expect(steer("resume")).rejects.toThrow("canceled");
      const left = await database.query("SELECT FROM jobs WHERE kind = $1 AND state = 'queued'", [CRAWL_JOB]);
      expect(left).toEqual([]);
    }));
});

it("counts the redirects that led to a URL, and no links", () =>
  withDatabase(async (database) => {
    const urls = ["page", "one", "two", "three", "loop"].map((name) => `https://e.example/${name}`);
    const [page = "", one = "", two = "", three = "", loop = ""] = urls;
    const led = new Map([page, one, two].map((from, place) => [urls[place + 1], from]));
    led.set(loop, loop);
    await crawlOf(
      database,
      urls.map((url) => ({ url, foundOn: led.get(url) ?? null })),
    );
    const redirected = [one, two, loop].map((url) => visited(url, { status: REDIRECTED }));
    await database.transaction((tx) => recordVisits(tx, "c", [visited(page), ...redirected], now));
    const count = (url: string) => countRedirectsTo(database, "c", { url, most: 10 });
    expect(await Promise.all([page, one, two, three, loop].map(count))).toEqual([0, 0, 1, 2, 10]);
  }));
