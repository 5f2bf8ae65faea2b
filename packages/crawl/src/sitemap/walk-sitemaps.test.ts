import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { HttpGet } from "../page/http-exchange.ts";
import { chunksOf } from "../testing.ts";
import { sitemapOpener, walkSitemaps, WALK_LIMITS, type WalkEvent, type WalkLimits } from "./walk-sitemaps.ts";

const never = new AbortController().signal;
const index = (...urls: string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;
const pages = (...urls: string[]): string =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;

/** Walks a web of sitemaps by path; gives pages as URLs and notes as their codes, and what was opened. */
async function walk(
  web: Readonly<Record<string, string>>,
  limits: Partial<WalkLimits> = {},
): Promise<{ found: string[]; opened: string[] }> {
  const opened: string[] = [];
  const open = (url: string): Promise<{ url: string; body: AsyncIterable<Uint8Array> }> => {
    opened.push(new URL(url).pathname);
    const file = web[new URL(url).pathname];
    if (file === undefined) return Promise.reject(new AppError("upstream_failed", `${url} answered 404`));
    return Promise.resolve({ url, body: chunksOf(Buffer.from(file), 64) });
  };
  const events: WalkEvent[] = [];
  for await (const event of walkSitemaps({ open }, ["https://a.test/s.xml"], never, { ...WALK_LIMITS, ...limits }))
    events.push(event);
  return { found: events.map((event) => (event.kind === "page" ? new URL(event.url).pathname : event.code)), opened };
}

describe("walkSitemaps", () => {
  verifies("crawl:sitemap:index", "reads an index and all it names, each once", async () => {
    const web = { "/s.xml": index("/1.xml", "/2.xml", "/1.xml"), "/1.xml": pages("/a", "/b"), "/2.xml": pages("/c") };
    expect(await walk(web)).toEqual({ found: ["/a", "/b", "/c"], opened: ["/s.xml", "/1.xml", "/2.xml"] });
  });

  it("is not caught in a loop", async () => {
    const web = { "/s.xml": index("/s.xml", "/1.xml"), "/1.xml": index("/s.xml", "/1.xml") };
    expect(await walk(web)).toEqual({ found: [], opened: ["/s.xml", "/1.xml"] });
  });

  it("goes on past a file that cannot be had, and says so", async () => {
    const web = { "/s.xml": index("/gone.xml", "/1.xml"), "/1.xml": pages("/a") };
    expect((await walk(web)).found).toEqual(["unreachable", "/a"]);
  });

  it("leaves other sites' sitemaps alone", async () => {
    expect(await walk({ "/s.xml": index("https://b.test/s.xml") })).toEqual({
      found: ["other-site"],
      opened: ["/s.xml"],
    });
  });

  it("keeps to its limits of nesting, files and pages", async () => {
    const nested = Object.fromEntries(
      Array.from({ length: 9 }, (_file, at) => [at === 0 ? "/s.xml" : `/${at}.xml`, index(`/${at + 1}.xml`)]),
    );
    expect(await walk(nested)).toEqual({
      found: ["nested-too-deep"],
      opened: ["/s.xml", "/1.xml", "/2.xml", "/3.xml"],
    });
    const wide = { "/s.xml": index(...Array.from({ length: 30 }, (_file, at) => `/${at}.xml`)) };
    expect((await walk(wide, { maxSitemaps: 3 })).opened).toEqual(["/s.xml", "/0.xml", "/1.xml"]);
    expect((await walk({ "/s.xml": pages("/a", "/b", "/c") }, { maxPages: 2 })).found).toEqual([
      "/a",
      "/b",
      "too-many-entries",
    ]);
  });

  it("starts from nothing when no root is a URL", async () => {
    const events = walkSitemaps({ open: () => Promise.reject(new Error("not asked")) }, ["::"], never);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

describe("sitemapOpener", () => {
  const answering =
    (status: number, headers: Record<string, string> = {}): HttpGet =>
    ({ url }) =>
      Promise.resolve({
        kind: "reply",
        url,
        status: url.endsWith("final") ? 200 : status,
        headers,
        body: Buffer.from("x"),
        truncated: false,
      });

  it("follows redirects and refuses errors", async () => {
    expect((await sitemapOpener(answering(301, { location: "/final" }))("https://a.test/s.xml", never)).url).toBe(
      "https://a.test/final",
    );
    const refusing: HttpGet = () =>
      Promise.resolve({ kind: "refused", reason: "private-address", message: "not there" });
    await expect(sitemapOpener(refusing)("https://a.test/s.xml", never)).rejects.toThrow("not there");
    await expect(sitemapOpener(answering(404))("https://a.test/s.xml", never)).rejects.toThrow("answered 404");
    await expect(sitemapOpener(answering(302, { location: "/s.xml" }))("https://a.test/s.xml", never)).rejects.toThrow(
      "too often",
    );
  });
});
