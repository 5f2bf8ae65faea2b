import { listDocuments, type CrawlRequest, type Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { crawlToEnd, fakeCrawlDeps, pageWith, type FakeReply, type FakeWeb } from "../testing.ts";

/** A web of pages by URL, each with links. */
function webOfLinks(pages: Readonly<Record<string, readonly string[]>>): FakeWeb {
  return (url) => {
    const links = pages[url];
    return links === undefined ? undefined : pageWith(`the page ${url}`, ...links);
  };
}

async function visited(
  web: FakeWeb,
  request: Partial<CrawlRequest> & Pick<CrawlRequest, "urls">,
): Promise<readonly string[]> {
  return withDatabase(async (database) => {
    const deps = fakeCrawlDeps(database, web);
    await crawlToEnd(deps, request);
    return deps.asked.toSorted();
  });
}

const start = "https://docs.e.example/guide/index.html";
const below = "https://docs.e.example/guide/more";
const beside = "https://docs.e.example/other";
const cousin = "https://www.e.example/";
const stranger = "https://elsewhere.example/";
const links = [below, beside, cousin, stranger];
const SITE = webOfLinks({ [start]: links, [below]: links, [beside]: [], [cousin]: [], [stranger]: [] });

verifies("crawl:frontier:scope-host", "scope host stays on the host", async () => {
  expect(await visited(SITE, { urls: [start], scope: "host" })).toEqual([start, below, beside]);
});

verifies("crawl:frontier:scope-domain", "scope domain takes in the domain's other hosts", async () => {
  expect(await visited(SITE, { urls: [start], scope: "domain" })).toEqual([start, below, beside, cousin]);
});

verifies("crawl:frontier:scope-path", "scope path stays below the folder of its start", async () => {
  expect(await visited(SITE, { urls: [start], scope: "path" })).toEqual([start, below]);
});

verifies(["crawl:frontier:include", "crawl:frontier:exclude"], "patterns say which links are followed", async () => {
  expect(await visited(SITE, { urls: [start], include: ["**/guide/**"] })).toEqual([start, below]);
  expect(await visited(SITE, { urls: [start], exclude: ["**/guide/m*"] })).toEqual([start, beside]);
});

it("follows what leads on without being a link: frames, image maps, and pages that go on by themselves", () =>
  withDatabase(async (database) => {
    const pages: Readonly<Record<string, string>> = {
      "/": '<title>Manual</title><frameset><frame src="contents.html"><frame src="text.html"></frameset>',
      "/contents.html": '<map name="m"><area href="/north" alt="North"></map><iframe src="/inside"></iframe>',
      "/text.html": `<meta http-equiv="Refresh" content="0; URL='latest/'"><p>This page has moved.</p>`,
      "/inside": '<iframe src="about:blank"></iframe><meta http-equiv="refresh" content="30">Inside',
    };
    const deps = fakeCrawlDeps(database, (url) => {
      const { pathname } = new URL(url);
      return pathname === "/robots.txt" ? undefined : { body: pages[pathname] ?? `<p>The page ${pathname}</p>` };
    });
    const { statuses } = await crawlToEnd(deps, { urls: ["https://e.example/"] });
    expect(
      Object.keys(statuses)
        .map((url) => new URL(url).pathname)
        .sort(),
    ).toEqual(["/", "/contents.html", "/inside", "/latest/", "/north", "/text.html"].sort());
  }));

verifies("crawl:frontier:depth", "maxDepth says how many links away a page may be", async () => {
  const chain = webOfLinks(
    Object.fromEntries([0, 1, 2, 3, 4].map((step) => [`https://e.example/${step}`, [`https://e.example/${step + 1}`]])),
  );
  const found = await visited(chain, { urls: ["https://e.example/0"], maxDepth: 2 });
  expect(found).toEqual(["https://e.example/0", "https://e.example/1", "https://e.example/2"]);
});

verifies(
  ["crawl:robots:x-robots-tag", "crawl:robots:meta"],
  "noindex keeps a page out and its links in, nofollow the other way round, by header and by meta",
  () =>
    withDatabase(async (database) => {
      const site = "https://e.example";
      const rule = (word: string, name: string): FakeReply => pageWith(`${word} ${name}`, `/from-${name}`);
      const meta = (word: string, name: string): FakeReply => ({
        body: (rule(word, name).body ?? "").replace("<head>", `<head><meta name="robots" content="${word}">`),
      });
      const header = (word: string, name: string): FakeReply => ({
        ...rule(word, name),
        headers: { "x-robots-tag": word },
      });
      const pages: Readonly<Record<string, FakeReply>> = {
        "/": pageWith("start", "/a", "/b", "/c", "/d"),
        "/a": meta("noindex", "a"),
        "/b": meta("nofollow", "b"),
        "/c": header("noindex", "c"),
        "/d": header("nofollow", "d"),
        "/from-a": pageWith("from a"),
        "/from-c": pageWith("from c"),
      };
      const deps = fakeCrawlDeps(database, (url) => pages[new URL(url).pathname]);
      const { statuses } = await crawlToEnd(deps, { urls: [`${site}/`] });
      expect(await pathsOf(database)).toEqual(["/", "/b", "/d", "/from-a", "/from-c"]);
      expect([statuses[`${site}/a`], statuses[`${site}/c`]]).toEqual(["noindex", "noindex"]);
      expect(Object.keys(statuses)).not.toContain(`${site}/from-b`);
      expect(Object.keys(statuses)).not.toContain(`${site}/from-d`);
    }),
);

verifies(
  ["crawl:bad-input:robots-refused", "crawl:bad-input:wrong-content-type", "crawl:bad-input:endless-body"],
  "what robots.txt forbids, holds no text, or has no end is a status of its URL; the crawl goes on",
  () =>
    withDatabase(async (database) => {
      const site = "https://e.example";
      const endless = "x".repeat(21 * 1024 * 1024);
      const web: FakeWeb = (url) => {
        const { pathname } = new URL(url);
        if (pathname === "/robots.txt") {
          return { body: "User-agent: *\nDisallow: /no", headers: { "content-type": "text/plain" } };
        }
        if (pathname === "/") return pageWith("start", "/no/1", "/video", "/endless", "/good");
        if (pathname === "/video") return { body: "\u0000\u0001\u0002", headers: { "content-type": "video/mp4" } };
        if (pathname === "/endless") return { body: endless };
        return pageWith(`page ${pathname}`);
      };
      const deps = fakeCrawlDeps(database, web);
      const { statuses, crawl } = await crawlToEnd(deps, { urls: [`${site}/`] });
      expect(statuses).toEqual({
        [`${site}/`]: "fetched",
        [`${site}/no/1`]: "robots",
        [`${site}/video`]: "unsupported-type",
        [`${site}/endless`]: "too-large",
        [`${site}/good`]: "fetched",
      });
      expect(deps.asked).not.toContain(`${site}/no/1`);
      expect(crawl.bytes).toBeGreaterThan(20 * 1024 * 1024); // what was read of the endless page counts
    }),
);

verifies("crawl:recrawl:last-modified", "a page is asked for with its Last-Modified, and kept on 304", () =>
  withDatabase(async (database) => {
    const since = "Wed, 01 Jan 2025 00:00:00 GMT";
    const deps = fakeCrawlDeps(database, (url, _time, headers) => {
      if (url.endsWith("robots.txt")) return undefined;
      if (headers["if-modified-since"] === since) return { status: 304 };
      return { ...pageWith("an old page"), headers: { "last-modified": since } };
    });
    await crawlToEnd(deps, { urls: ["https://e.example/"] });
    const again = await crawlToEnd(deps, { urls: ["https://e.example/"] }, { id: "crawl_2" });
    expect(again.statuses).toEqual({ "https://e.example/": "not-modified" });
    expect(await pathsOf(database)).toEqual(["/"]);
  }),
);

async function pathsOf(database: Database): Promise<readonly string[]> {
  const { data } = await listDocuments(database, "one", { limit: 100 });
  return data.map(({ url }) => new URL(url).pathname).sort();
}
