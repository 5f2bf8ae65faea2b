import {
  findCrawl,
  listCrawlPages,
  listDocuments,
  moveCrawlBy,
  nextRoundAt,
  setRecrawl,
  startDueRounds,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { crawlToEnd, fakeCrawlDeps, pageWith, type FakeWeb } from "../testing.ts";
import { runCrawl } from "./run-crawl.ts";

const site = "https://e.example";
const DAY_MS = 24 * 60 * 60 * 1000;
const begin = new Date("2026-01-01T00:00:00Z").getTime();
const recrawl = { enabled: true, minHours: 6, maxHours: 24 * 60 };

/** `/daily` changes every day, `/monthly` every thirty, `/` never; all with ETags. */
function changingWeb(now: () => Date): FakeWeb {
  return (url, _time, headers) => {
    const { pathname } = new URL(url);
    const days = (now().getTime() - begin) / DAY_MS;
    const ages: Readonly<Record<string, number>> = {
      "/": 0,
      "/daily": Math.floor(days),
      "/monthly": Math.floor(days / 30),
    };
    const age = ages[pathname];
    if (age === undefined) return undefined;
    const etag = `"${age}"`;
    if (headers["if-none-match"] === etag) return { status: 304, headers: { etag } };
    const page = pathname === "/" ? pageWith("start", "/daily", "/monthly") : pageWith(`${pathname} number ${age}`);
    return { ...page, headers: { etag } };
  };
}

verifies(
  "crawl:recrawl:by-change-rate",
  "over four simulated months a page that changes daily is visited far more often than one that does not",
  () =>
    withDatabase(async (database) => {
      let time = begin;
      const now = (): Date => new Date(time);
      const deps = fakeCrawlDeps(database, changingWeb(now), { now });
      await crawlToEnd(deps, { urls: [`${site}/`], recrawl });
      await database.transaction((tx) => moveCrawlBy(tx, "crawl_1", { move: "complete", now: now() }));
      let rounds = 0;
      for (; time < begin + 120 * DAY_MS; rounds += 1) {
        const crawl = await findCrawl(database, "crawl_1");
        const next = crawl === undefined ? undefined : await nextRoundAt(database, crawl);
        if (next === undefined) throw new Error("nothing falls due any more");
        time = Math.max(time, next.getTime());
        const [round] = await startDueRounds(database, now());
        if (round === undefined) throw new Error("no round began");
        await database.transaction((tx) => moveCrawlBy(tx, round.id, { move: "start", now: now() }));
        await runCrawl(deps, round, new AbortController().signal);
        await database.transaction((tx) => moveCrawlBy(tx, round.id, { move: "complete", now: now() }));
      }
      const visits = (path: string): number => deps.asked.filter((url) => url === `${site}${path}`).length;
      const counts = { daily: visits("/daily"), monthly: visits("/monthly"), never: visits("/") };
      expect(counts.daily).toBeGreaterThan(40);
      expect(counts.monthly).toBeLessThan(counts.daily / 3);
      expect(counts.never).toBeLessThan(counts.monthly);
      expect(counts.never).toBeGreaterThan(2); // forgotten it is not
      expect((await findCrawl(database, "crawl_1"))?.round).toBe(rounds + 1);
    }),
  120_000,
);

it("visits only what is due, with counts of its own, and leaves out what earlier budgets left out", () =>
  withDatabase(async (database) => {
    let time = begin;
    const now = (): Date => new Date(time);
    const web: FakeWeb = (url) => {
      const { pathname } = new URL(url);
      return pathname === "/"
        ? pageWith(`start ${time}`, "/1", "/2", "/3", ...(time > begin ? ["/new"] : []))
        : pageWith(`page ${pathname}`);
    };
    const deps = fakeCrawlDeps(database, web, { now });
    await crawlToEnd(deps, { urls: [`${site}/`], recrawl, maxPages: 3 });
    await database.transaction((tx) => moveCrawlBy(tx, "crawl_1", { move: "complete", now: now() }));
    expect(await startDueRounds(database, now())).toEqual([]);
    time += 365 * DAY_MS;
    const [[round], twice] = await Promise.all([startDueRounds(database, now()), startDueRounds(database, now())]);
    const begun = round ?? twice[0];
    expect([round, ...twice].filter((one) => one !== undefined)).toHaveLength(1);
    expect(begun).toMatchObject({ status: "queued", round: 2, pagesQueued: 3, pagesDone: 0, maxPages: 3 });
    await database.transaction((tx) => moveCrawlBy(tx, "crawl_1", { move: "start", now: now() }));
    if (begun !== undefined) await runCrawl(deps, begun, new AbortController().signal);
    expect(deps.asked).toHaveLength(6);
    expect(deps.asked.slice(3).toSorted()).toEqual(deps.asked.slice(0, 3).toSorted());
    const { data } = await listCrawlPages(database, "crawl_1", { limit: 100 });
    expect(data.filter(({ state }) => state === "left").map(({ url }) => url)).toEqual([`${site}/3`]);
  }));

it("rests while it is switched off, and goes on within its new bounds", () =>
  withDatabase(async (database) => {
    let time = begin;
    const now = (): Date => new Date(time);
    const deps = fakeCrawlDeps(database, changingWeb(now), { now });
    await crawlToEnd(deps, { urls: [`${site}/`], recrawl });
    await database.transaction((tx) => moveCrawlBy(tx, "crawl_1", { move: "complete", now: now() }));
    const change = (settings: typeof recrawl): Promise<unknown> =>
      setRecrawl(database, "one", { id: "crawl_1", recrawl: settings, now: now() });
    await change({ ...recrawl, enabled: false });
    time += 400 * DAY_MS;
    expect(await startDueRounds(database, now())).toEqual([]);
    await change({ enabled: true, minHours: 24 * 500, maxHours: 24 * 600 });
    expect(await startDueRounds(database, now())).toEqual([]);
    await change({ enabled: true, minHours: 1, maxHours: 2 });
    expect(await startDueRounds(database, now())).toMatchObject([{ pagesQueued: 3 }]);
    await expect(setRecrawl(database, "two", { id: "crawl_1", recrawl, now: now() })).rejects.toThrow("no crawl");
  }));

it("takes a page out of the index that its site took away or hides now, and leaves what was given to us", () =>
  withDatabase(async (database) => {
    let time = begin;
    const now = (): Date => new Date(time);
    const paths = ["/lost", "/gone", "/hidden", "/broken", "/stays"];
    const web: FakeWeb = (url) => {
      const { pathname } = new URL(url);
      if (pathname === "/") return pageWith("start", ...paths);
      if (!paths.includes(pathname)) return undefined;
      if (time === begin || pathname === "/stays") return pageWith(`page ${pathname}`);
      if (pathname === "/hidden") return { ...pageWith("page /hidden"), headers: { "x-robots-tag": "noindex" } };
      return { status: { "/lost": 404, "/gone": 410, "/broken": 403 }[pathname] ?? 500 };
    };
    const deps = fakeCrawlDeps(database, web, { now });
    const urls = async (): Promise<readonly string[]> =>
      (await listDocuments(database, "one", { limit: 100 })).data.map(({ url }) => url).sort();
    await crawlToEnd(deps, { urls: [`${site}/`], recrawl });
    await database.query("UPDATE documents SET source = 'api' WHERE url = $1", [`${site}/gone`]);
    await database.transaction((tx) => moveCrawlBy(tx, "crawl_1", { move: "complete", now: now() }));
    expect(await urls()).toHaveLength(6);
    time += 365 * DAY_MS;
    const [round] = await startDueRounds(database, now());
    if (round === undefined) throw new Error("no round began");
    await database.transaction((tx) => moveCrawlBy(tx, round.id, { move: "start", now: now() }));
    await runCrawl(deps, round, new AbortController().signal);
    expect(await urls()).toEqual([`${site}/`, `${site}/broken`, `${site}/gone`, `${site}/stays`]);
    const { data } = await listCrawlPages(database, "crawl_1", { limit: 100 });
    const statuses = Object.fromEntries(data.map(({ url, status }) => [new URL(url).pathname, status]));
    expect(statuses).toMatchObject({ "/lost": "not-there", "/gone": "gone", "/hidden": "noindex" });
  }));
