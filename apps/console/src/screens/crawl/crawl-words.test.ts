import { expect, it } from "vitest";
import type { Crawl, CrawlPage, WholeDocument } from "../../api/shapes.ts";
import { readCrawlSearch, readCrawlsSearch } from "./crawl-search.ts";
import { toCrawlBody } from "./crawl-wish.ts";
import { describeDocument, describeVisit } from "./diagnose-url.ts";
import { sumUpHosts } from "./host-paces.ts";

const page = (facts: Partial<CrawlPage>): CrawlPage => ({
  url: "https://e.org/",
  state: "done",
  status: "fetched",
  message: null,
  httpStatus: 200,
  finalUrl: null,
  snapshotId: null,
  byteLength: 1,
  depth: 0,
  attempts: 1,
  foundOn: null,
  doneAt: "2026-01-01T00:00:00.000Z",
  ...facts,
});
const crawl = (status: Crawl["status"], reason: string | null = null): Crawl =>
  ({ id: "crawl_1", status, reason }) as Crawl;

it("sums hosts up with the pause between visits, busiest first", () => {
  const pages = [
    page({ url: "https://a.org/", status: "timeout", doneAt: "2026-01-01T00:00:09.000Z" }),
    ...[0, 1, 3].map((second) => page({ url: `https://b.org/${second}`, doneAt: `2026-01-01T00:00:0${second}.000Z` })),
    page({ url: "https://b.org/next", state: "queued", status: null, doneAt: null }),
  ];
  expect(sumUpHosts(pages, (status) => status === "fetched")).toEqual([
    {
      host: "b.org",
      url: "https://b.org/0",
      done: 3,
      failed: 0,
      queued: 1,
      pauseMs: 2_000,
      lastVisitAt: "2026-01-01T00:00:03.000Z",
    },
    {
      host: "a.org",
      url: "https://a.org/",
      done: 1,
      failed: 1,
      queued: 0,
      pauseMs: null,
      lastVisitAt: "2026-01-01T00:00:09.000Z",
    },
  ]);
});

it.each([
  [crawl("running"), page({ status: "robots", message: "by /private" }), "robots.txt forbids it: by /private"],
  [crawl("running"), page({ state: "queued", status: null }), "A crawl has found it and has yet to visit it."],
  [
    crawl("completed", "max-pages"),
    page({ state: "queued", status: null }),
    "A crawl found it, and was completed before its turn came (max-pages).",
  ],
])("says why a page is missing: %#", (of, visit, sentence) => {
  expect(describeVisit(of, visit)).toMatchObject({ isIndexed: false, sentence, crawlId: "crawl_1" });
});

it("tells a page that is there from one that another stands for", () => {
  const document = { url: "u", canonicalUrl: null, version: 2, wordCount: 5, crawledAt: "2026-01-01" } as WholeDocument;
  expect(describeDocument(document).isIndexed).toBe(true);
  expect(describeDocument({ ...document, canonicalUrl: "other" })).toMatchObject({
    isIndexed: false,
    sentence: "It is a near copy of other, which stands for it in the results.",
  });
});

it("makes a crawl's request of its form", () => {
  const wish = {
    url: " https://e.org/ ",
    isSitemap: false,
    maxPages: "5",
    maxDepth: "2",
    scope: "path",
    delayMs: "1000",
    include: "",
    exclude: "*/a/*, */b",
  };
  expect(toCrawlBody(wish)).toEqual({
    url: "https://e.org/",
    maxPages: 5,
    maxDepth: 2,
    scope: "path",
    delayMs: 1_000,
    exclude: ["*/a/*", "*/b"],
  });
  expect(toCrawlBody({ ...wish, isSitemap: true })).toMatchObject({ sitemap: "https://e.org/" });
});

it("reads the addresses of its screens", () => {
  expect(readCrawlsSearch({ dialog: "new", why: "https://e.org/", x: 1 })).toEqual({
    dialog: "new",
    why: "https://e.org/",
  });
  expect(readCrawlsSearch({ dialog: "old", why: 7 })).toEqual({});
  expect(readCrawlSearch({ view: "hosts", status: "robots" })).toEqual({ view: "hosts", status: "robots" });
  expect(readCrawlSearch({ view: "x", status: "" })).toEqual({});
});
