import { AppError } from "@quarry/base";
import { findDocument, findCrawl, type Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { crawlToEnd, fakeCrawlDeps, pageWith, type FakeWeb } from "../testing.ts";

const site = "https://e.example";
const urlsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `/${index + 1}`);

/** `/` links to `count` pages that differ from each other. */
function webOf(count: number): FakeWeb {
  return (url) => {
    const { pathname } = new URL(url);
    if (pathname === "/robots.txt") return undefined;
    if (pathname === "/") return pageWith("start", ...urlsOf(count));
    return Number(pathname.slice(1)) <= count ? pageWith(`page ${pathname}`) : undefined;
  };
}

describe("a crawl's budget", () => {
  verifies("crawl:frontier:page-budget", "is never exceeded in pages, also when redirects add URLs", () =>
    withDatabase(async (database) => {
      const web: FakeWeb = (url, time, headers) =>
        url.endsWith("0") && !url.endsWith("/10x")
          ? { status: 301, headers: { location: `${url}x` } }
          : url.endsWith("x")
            ? pageWith(`moved ${url}`)
            : webOf(40)(url, time, headers);
      const deps = fakeCrawlDeps(database, web);
      const { end, crawl } = await crawlToEnd(deps, { urls: [`${site}/`], maxPages: 17 });
      expect([end.reason, crawl.pagesDone]).toEqual(["max-pages", 17]);
      expect(await countDocuments(database)).toBe(17);
    }),
  );

  verifies("crawl:frontier:byte-budget", "is never exceeded in bytes, and the page that is too much stays queued", () =>
    withDatabase(async (database) => {
      const deps = fakeCrawlDeps(database, webOf(40));
      const { end, crawl } = await crawlToEnd(deps, { urls: [`${site}/`], maxBytes: 3_000 });
      expect(end.reason).toBe("max-bytes");
      expect(crawl.bytes).toBeLessThanOrEqual(3_000);
      expect(crawl.bytes).toBeGreaterThan(2_000);
      expect([crawl.pagesFailed, crawl.pagesQueued > 0]).toEqual([0, true]);
    }),
  );

  it("that is nearly spent is not ended by a page which no budget would have read", () =>
    withDatabase(async (database) => {
      const web: FakeWeb = (url, time, headers) => {
        const { pathname } = new URL(url);
        if (pathname === "/") return pageWith("start", "/declared", "/bomb", "/1");
        if (pathname === "/declared") return { kind: "refused", reason: "body-too-large", message: "10 GB" };
        if (pathname === "/bomb") return { kind: "refused", reason: "decompression-bomb", message: "it grows" };
        return webOf(1)(url, time, headers);
      };
      const { end, statuses } = await crawlToEnd(fakeCrawlDeps(database, web), {
        urls: [`${site}/`],
        maxBytes: 3_000,
      });
      expect(statuses).toEqual({
        [`${site}/`]: "fetched",
        [`${site}/declared`]: "too-large",
        [`${site}/bomb`]: "too-large",
        [`${site}/1`]: "fetched",
      });
      expect(end.reason).toBe("nothing-left");
    }));

  it("that is just enough ends the crawl for want of pages", () =>
    withDatabase(async (database) => {
      const { end, crawl } = await crawlToEnd(fakeCrawlDeps(database, webOf(4)), { urls: [`${site}/`], maxPages: 5 });
      expect([end.reason, crawl.pagesDone, crawl.pagesQueued]).toEqual(["nothing-left", 5, 0]);
    }));
});

describe("a redirect", () => {
  it("makes no page be fetched twice, whether it leads to one visited, queued or visited at the same time", () =>
    withDatabase(async (database) => {
      const web: FakeWeb = (url) => {
        const { pathname } = new URL(url);
        if (pathname === "/") return pageWith("start", "/old", "/older", "/back", "/target", "/gone");
        if (pathname === "/target") return pageWith("the target", "/old");
        if (pathname === "/gone") return { status: 302, headers: { location: "/nothing" } };
        if (pathname === "/back") return { status: 302, headers: { location: "/" } };
        if (["/old", "/older"].includes(pathname)) return { status: 301, headers: { location: "/target" } };
        return undefined;
      };
      const deps = fakeCrawlDeps(database, web);
      const { statuses, crawl } = await crawlToEnd(deps, { urls: [`${site}/`] });
      expect(new Set(deps.asked).size).toBe(deps.asked.length);
      expect(statuses).toEqual({
        [`${site}/`]: "fetched",
        [`${site}/target`]: "fetched",
        [`${site}/old`]: "redirected",
        [`${site}/older`]: "redirected",
        [`${site}/back`]: "redirected",
        [`${site}/gone`]: "redirected",
        [`${site}/nothing`]: "not-there",
      });
      expect([crawl.pagesDone, crawl.pagesFailed, crawl.pagesQueued]).toEqual([3, 1, 0]);
    }));

  verifies("crawl:bad-input:redirect-loop", "that leads back, or on and on, is a status of the URL that began it", () =>
    withDatabase(async (database) => {
      const web: FakeWeb = (url) => {
        const { pathname, searchParams } = new URL(url);
        if (pathname === "/") return pageWith("start", "/loop", "/on?n=0", "/away");
        if (pathname === "/loop") return { status: 302, headers: { location: "/loop2" } };
        if (pathname === "/loop2") return { status: 302, headers: { location: "/loop" } };
        if (pathname === "/away") return { status: 302, headers: { location: "https://other.example/" } };
        if (pathname === "/on") {
          return { status: 302, headers: { location: `/on?n=${Number(searchParams.get("n")) + 1}` } };
        }
        return undefined;
      };
      const { statuses } = await crawlToEnd(fakeCrawlDeps(database, web), { urls: [`${site}/`] });
      expect(statuses).toMatchObject({
        [`${site}/loop`]: "redirect-loop",
        [`${site}/loop2`]: "redirected",
        [`${site}/on?n=0`]: "too-many-redirects",
        [`${site}/away`]: "redirected-away",
      });
    }),
  );
});

it("redirects without end from host to host, or by scripts, come to an end", () =>
  withDatabase(async (database) => {
    const next = (url: string): string => {
      const { hostname, pathname } = new URL(url);
      const host = hostname.startsWith("www.") ? "e.example" : "www.e.example";
      return pathname.startsWith("/app")
        ? `${site}/app${Number(pathname.slice(4)) + 1}`
        : `https://${host}${pathname}x`;
    };
    const web: FakeWeb = (url) => {
      if (url.endsWith("/robots.txt")) return undefined;
      if (url.includes("/app")) return { body: '<div id="root"></div><script src="/app.js"></script>' };
      return { status: 302, headers: { location: next(url) } };
    };
    const deps = fakeCrawlDeps(database, web, { render: (_html, url) => ({ movedTo: next(url) }) });
    const urls = [`${site}/on`, `${site}/app0`];
    const { statuses, crawl } = await crawlToEnd(deps, { urls, scope: "domain", render: "auto" });
    const ends = Object.entries(statuses).filter(([, status]) => status !== "redirected");
    expect(Object.fromEntries(ends)).toEqual({
      [`${site}/onxxxxxxxxxx`]: "too-many-redirects",
      [`${site}/app10`]: "too-many-redirects",
    });
    expect([crawl.pagesDone, crawl.pagesQueued, deps.asked.length]).toEqual([2, 0, 22]);
  }));

describe("a visit that fails", () => {
  it("is made again when it may pass", () =>
    withDatabase(async (database) => {
      const web: FakeWeb = (url, time) => {
        const { pathname } = new URL(url);
        if (pathname === "/") return pageWith("start", "/once");
        if (pathname !== "/once") return undefined;
        return time === 0 ? { status: 503, headers: { "retry-after": "1" } } : pageWith("there after all");
      };
      const deps = fakeCrawlDeps(database, web);
      const { statuses } = await crawlToEnd(deps, { urls: [`${site}/`] });
      expect(statuses).toEqual({ [`${site}/`]: "fetched", [`${site}/once`]: "fetched" });
      expect(deps.asked).toEqual([`${site}/`, `${site}/once`, `${site}/once`]);
    }));

  it("because the database does not take the page is recorded, and the others are written", () =>
    withDatabase(async (database) => {
      await database.query("ALTER TABLE documents ADD CHECK (title <> 'page /7')");
      const { end, statuses, crawl } = await crawlToEnd(fakeCrawlDeps(database, webOf(20)), { urls: [`${site}/`] });
      expect(end.reason).toBe("nothing-left");
      expect(Object.entries(statuses).filter(([, status]) => status !== "fetched")).toEqual([
        [`${site}/7`, "not-stored"],
      ]);
      expect([crawl.pagesDone, crawl.pagesFailed]).toEqual([21, 1]);
    }));

  verifies(
    [
      "crawl:fetch:errors-by-url",
      "crawl:bad-input:404",
      "crawl:bad-input:private-address",
      "promises:t25:payment-required",
    ],
    "for good is a status of its URL, and the crawl goes on",
    () =>
      withDatabase(async (database) => {
        const web: FakeWeb = (url) => {
          const { pathname } = new URL(url);
          if (pathname === "/") return pageWith("start", "/404", "/410", "/402", "/403", "/private", "/image", "/good");
          if (pathname === "/private")
            return { kind: "refused", reason: "private-address", message: "10.0.0.1 is private" };
          if (pathname === "/image") return { body: "\u0089PNG\r\n\u001a\n", headers: { "content-type": "image/png" } };
          if (pathname === "/good") return pageWith("good");
          return pathname === "/robots.txt" ? undefined : { status: Number(pathname.slice(1)) };
        };
        const deps = fakeCrawlDeps(database, web);
        const { statuses } = await crawlToEnd(deps, { urls: [`${site}/`] });
        expect(deps.asked.filter((url) => url === `${site}/402`)).toHaveLength(1);
        expect(statuses).toEqual({
          [`${site}/`]: "fetched",
          [`${site}/404`]: "not-there",
          [`${site}/410`]: "gone",
          [`${site}/402`]: "payment-required",
          [`${site}/403`]: "access-denied",
          [`${site}/private`]: "private-address",
          [`${site}/image`]: "unsupported-type",
          [`${site}/good`]: "fetched",
        });
      }),
  );
});

verifies(
  "crawl:frontier:fair-among-hosts",
  "a host that rests does not hold up the others, however many pages it has queued",
  () =>
    withDatabase(async (database) => {
      const web: FakeWeb = (url) => {
        const { hostname, pathname } = new URL(url);
        if (pathname === "/robots.txt") {
          return hostname === "slow.e.example"
            ? { body: "User-agent: *\nCrawl-delay: 100", headers: { "content-type": "text/plain" } }
            : undefined;
        }
        if (hostname === "slow.e.example") return pageWith(`slow ${pathname}`, ...urlsOf(600));
        return webOf(30)(url, 0, {});
      };
      const deps = fakeCrawlDeps(database, web);
      const stop = new AbortController();
      const urls = ["https://slow.e.example/", "https://fast.e.example/"];
      const running = crawlToEnd(deps, { urls, scope: "domain" }, { signal: stop.signal });
      const ended = running.catch((error: unknown) => error);
      await expect.poll(() => deps.asked.filter((url) => url.includes("fast")).length, { timeout: 10_000 }).toBe(31);
      expect(deps.asked.filter((url) => url.includes("slow")).length).toBe(1);
      stop.abort(new AppError("canceled", "enough"));
      expect(await ended).toMatchObject({ message: "enough" });
    }),
);

it("rejects on abort, and nothing is under way or written any more by then", () =>
  withDatabase(async (database) => {
    const stop = new AbortController();
    const deps = fakeCrawlDeps(database, (url, time, headers) => {
      if (url.endsWith("/25")) stop.abort(new AppError("canceled", "paused"));
      return webOf(60)(url, time, headers);
    });
    await expect(crawlToEnd(deps, { urls: [`${site}/`] }, { signal: stop.signal })).rejects.toThrow("paused");
    const [asked, before] = [deps.asked.length, await findCrawl(database, "crawl_1")];
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([deps.asked.length, await findCrawl(database, "crawl_1")]).toEqual([asked, before]);
  }));

describe("a page that was read before", () => {
  verifies(
    ["crawl:recrawl:etag", "snapshot:recrawl:unchanged-bytes"],
    "is asked for with its ETag, kept on 304, and its links are followed",
    () =>
      withDatabase(async (database) => {
        const web: FakeWeb = (url, _time, headers) => {
          const { pathname } = new URL(url);
          if (pathname === "/robots.txt") return undefined;
          if (headers["if-none-match"] === '"v1"') return { status: 304, headers: { etag: '"v1"' } };
          const page = pathname === "/" ? pageWith("start", "/1") : pageWith(`page ${pathname}`);
          return { ...page, headers: { etag: '"v1"' } };
        };
        const deps = fakeCrawlDeps(database, web);
        await crawlToEnd(deps, { urls: [`${site}/`] });
        const first = await findDocument(database, ["one"], `${site}/`);
        const blobs = deps.blobs.size;
        const again = await crawlToEnd(deps, { urls: [`${site}/`] }, { id: "crawl_2" });
        expect(again.statuses).toEqual({ [`${site}/`]: "not-modified", [`${site}/1`]: "not-modified" });
        const second = await findDocument(database, ["one"], `${site}/`);
        expect(second).toMatchObject({ snapshotId: first?.snapshotId, version: first?.version, etag: '"v1"' });
        expect(deps.blobs.size).toBe(blobs);
      }),
  );

  it("is read by the rules of XHTML again when it is kept on 304", () =>
    withDatabase(async (database) => {
      const body = '<html><head><title>T</title><script src="a.js"/></head><body><p>The only page.</p></body></html>';
      const web: FakeWeb = (url, _time, headers) =>
        url.endsWith("/robots.txt")
          ? undefined
          : headers["if-none-match"] === '"v1"'
            ? { status: 304 }
            : { body, headers: { etag: '"v1"', "content-type": "application/xhtml+xml; charset=utf-8" } };
      const deps = fakeCrawlDeps(database, web);
      await crawlToEnd(deps, { urls: [`${site}/`] });
      const first = await findDocument(database, ["one"], `${site}/`);
      const again = await crawlToEnd(deps, { urls: [`${site}/`] }, { id: "crawl_2" });
      expect(again.statuses).toEqual({ [`${site}/`]: "not-modified" });
      const second = await findDocument(database, ["one"], `${site}/`);
      expect(second).toMatchObject({ snapshotId: first?.snapshotId, version: 1, wordCount: 3 });
    }));

  it("is read whole again when its stored copy is damaged", () =>
    withDatabase(async (database) => {
      const web: FakeWeb = (url, _time, headers) =>
        url.endsWith("/robots.txt")
          ? undefined
          : headers["if-none-match"] === '"v1"'
            ? { status: 304 }
            : { ...pageWith("the only page"), headers: { etag: '"v1"' } };
      const deps = fakeCrawlDeps(database, web);
      await crawlToEnd(deps, { urls: [`${site}/`] });
      for (const key of deps.blobs.keys()) deps.blobs.set(key, Buffer.from("damaged"));
      const again = await crawlToEnd(deps, { urls: [`${site}/`] }, { id: "crawl_2" });
      expect(again.statuses).toEqual({ [`${site}/`]: "fetched" });
      const document = await findDocument(database, ["one"], `${site}/`);
      expect(Buffer.from((await deps.snapshots.get(document?.snapshotId ?? "")) ?? []).toString()).toContain(
        "only page",
      );
    }));
});

async function countDocuments(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>("SELECT count(*)::integer AS count FROM documents");
  return row?.count ?? 0;
}
