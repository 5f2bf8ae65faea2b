import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeText } from "./page/charset.ts";
import { fetchPage, pageStatusOf, type FetchPageDeps, type PageStatus } from "./page/fetch-page.ts";
import { createRobotsCache } from "./robots/robots-cache.ts";
import { discoverLinks } from "./scope/discover-links.ts";
import { compileScope } from "./scope/scope.ts";
import {
  describeData,
  filesOfTar,
  generatedPages,
  loopbackGet,
  pagesOfFiles,
  serveMiniWeb,
  withMiniWeb,
  type MiniWeb,
  type MiniWebPages,
} from "./testing.ts";

const never = new AbortController().signal;

/** What the pieces of this package make of a site when called in turn; the real frontier lives in the store. */
async function crawl(
  web: MiniWeb,
  start: string,
  tries = 1,
): Promise<{ statuses: Map<string, PageStatus>; encodings: Set<string> }> {
  const deps: FetchPageDeps = { ...fetchDeps() };
  const scope = compileScope({ seeds: [web.origin + start], kind: "host" });
  const statuses = new Map<string, PageStatus>();
  const encodings = new Set<string>();
  const queue = scope.seeds.map((url) => ({ url, depth: 0 }));
  const seen = new Set(scope.seeds);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    let outcome = await fetchPage(deps, next.url, never);
    for (let attempt = 1; outcome.kind === "failed" && attempt < tries; attempt += 1)
      outcome = await fetchPage(deps, next.url, never);
    statuses.set(next.url.slice(web.origin.length), pageStatusOf(outcome));
    if (outcome.kind !== "fetched" || outcome.page.format !== "html") continue;
    const { text, encoding } = decodeText(outcome.page.bytes, "markup", outcome.page.charset);
    encodings.add(encoding);
    const links = [...text.matchAll(/<a\s[^>]*?href\s*=\s*"([^"]*)"/gis)].map(([, href = ""]) => ({
      href: unescapeHtml(href),
    }));
    for (const found of discoverLinks(scope, { url: outcome.page.url, depth: next.depth, nofollow: false, links })
      .urls) {
      if (!seen.has(found.url)) queue.push(found);
      seen.add(found.url);
    }
  }
  return { statuses, encodings };
}

/** The entities that the pages served here have in their links. */
function unescapeHtml(text: string): string {
  return text
    .replaceAll("&amp;", "&")
    .replace(/&#x([0-9a-f]+);/gi, (_entity, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

function fetchDeps(): FetchPageDeps {
  const now = (): Date => new Date("2025-01-01T00:00:00Z");
  return { allows: createRobotsCache({ get: loopbackGet, now }, "QuarryBot").allows, get: loopbackGet, now };
}

const site: MiniWebPages = (target) => {
  const bodies: Readonly<Record<string, string>> = {
    "/": '<a href="/a">a</a> <a href="/b#x">b</a> <a href="/loop">loop</a> <a href="/missing">m</a> <a href="/private/x">p</a>',
    "/a": '<p>Grüße</p><a href="/">home</a>',
    "/b": '<a href="a">a</a> <a href="/end">endless</a> <a href="/cut">cut</a>',
    "/end": "never all of it",
    "/cut": "half of it",
    "/private/x": "secret",
  };
  const body = bodies[target];
  return body === undefined ? undefined : { body: `<html><body>${body}</body></html>` };
};

describe("the mini-web", () => {
  it("shows every fault as a status, and each page is asked for once", async () => {
    const faults = {
      robotsTxt: "User-agent: *\nDisallow: /private/",
      loops: ["/loop"],
      endless: ["/end"],
      cuts: ["/cut"],
    };
    await withMiniWeb(site, faults, async (web) => {
      const { statuses } = await crawl(web, "/");
      expect(Object.fromEntries(statuses)).toEqual({
        "/": "fetched",
        "/a": "fetched",
        "/b": "fetched",
        "/loop": "redirect-loop",
        "/missing": "not-there",
        "/private/x": "robots",
        "/end": "too-large",
        "/cut": "unreachable",
      });
      const asked = web.requests.map((request) => request.path);
      expect(asked).toHaveLength(new Set(asked).size);
      expect(asked).not.toContain("/private/x");
    });
  });

  it("gives a page after its failures, and says when to come back", async () => {
    await withMiniWeb(site, { failuresPerPage: 2, failureStatus: 429, retryAfterSeconds: 3 }, async (web) => {
      const deps = fetchDeps();
      const first = await fetchPage(deps, `${web.origin}/a`, never);
      expect(first).toMatchObject({ kind: "failed", reason: "rate-limited", error: { retryAfterMs: 3000 } });
      await fetchPage(deps, `${web.origin}/a`, never);
      expect((await fetchPage(deps, `${web.origin}/a`, never)).kind).toBe("fetched");
    });
  });

  it("answers a known page with not-modified", async () => {
    await withMiniWeb(site, {}, async (web) => {
      const first = await fetchPage(fetchDeps(), `${web.origin}/a`, never);
      const validators = first.kind === "fetched" ? first.page.validators : {};
      expect((await fetchPage(fetchDeps(), `${web.origin}/a`, never, { validators })).kind).toBe("not-modified");
    });
  });

  it.each([
    [{ declaredCharset: "iso-8859-1" }, "utf-8"],
    [{ encoding: "windows-1252", declaredCharset: "utf-8" }, "windows-1252"],
    [{ encoding: "windows-1252" }, "windows-1252"],
    [{ encoding: "utf16le" }, "utf-16le"],
  ])("is read in spite of wrong charsets: %j", async (faults, expected) => {
    await withMiniWeb(site, faults, async (web) => {
      const outcome = await fetchPage(fetchDeps(), `${web.origin}/a`, never);
      const decoded =
        outcome.kind === "fetched" ? decodeText(outcome.page.bytes, "markup", outcome.page.charset) : undefined;
      expect([decoded?.encoding, decoded?.text.includes("Grüße")]).toEqual([expected, true]);
    });
  });

  it("refuses everything while robots.txt fails", async () => {
    await withMiniWeb(site, { robotsStatus: 500 }, async (web) => {
      expect([...(await crawl(web, "/")).statuses]).toEqual([["/", "robots-unreachable"]]);
    });
  });

  it("makes up pages that can all be reached", async () => {
    await withMiniWeb(generatedPages(200), {}, async (web) => {
      const { statuses } = await crawl(web, "/");
      expect([statuses.size, new Set(statuses.values())]).toEqual([200, new Set(["fetched"])]);
      expect(web.mostAtOnce()).toBe(1);
    });
  });

  it("is slow when told to be, and stops for who stops waiting", async () => {
    await withMiniWeb(site, { delayMs: 10_000 }, async (web) => {
      const stop = new AbortController();
      const visit = fetchPage(fetchDeps(), `${web.origin}/a`, stop.signal);
      setTimeout(() => {
        stop.abort();
      }, 20);
      await expect(visit).rejects.toThrow("abort");
    });
  });

  it("is unreachable once closed", async () => {
    const web = await serveMiniWeb(site);
    await web.close();
    const deps: FetchPageDeps = { ...fetchDeps(), allows: () => Promise.resolve({ kind: "allowed" }) };
    expect(pageStatusOf(await fetchPage(deps, `${web.origin}/a`, never))).toBe("unreachable");
    expect(pageStatusOf(await fetchPage(fetchDeps(), `${web.origin}/a`, never))).toBe("unreachable");
  });
});

describeData("miniweb-git-htmldocs", (folder) => {
  const expected = JSON.parse(readFileSync(path.join(folder, "expected-crawl.json"), "utf8")) as {
    start: string;
    reachable_pages: string[];
  };
  const files = filesOfTar(gunzipSync(readFileSync(path.join(folder, "site.tar.gz"))));
  const fetched = ({ statuses }: { statuses: Map<string, PageStatus> }): string[] =>
    [...statuses].flatMap(([name, status]) => (status === "fetched" ? [name.slice(1)] : [])).sort();

  it("is crawled from its start to exactly the pages that can be reached", async () => {
    await withMiniWeb(pagesOfFiles(files, expected.start), {}, async (web) => {
      const result = await crawl(web, `/${expected.start}`);
      expect(fetched(result)).toEqual([...expected.reachable_pages].sort());
      expect(web.requests).toHaveLength(expected.reachable_pages.length + 1);
    });
  });

  it("is crawled to the same pages when every page fails once and names a wrong charset", async () => {
    const faults = { failuresPerPage: 1, declaredCharset: "shift_jis" };
    await withMiniWeb(pagesOfFiles(files, expected.start), faults, async (web) => {
      expect(fetched(await crawl(web, `/${expected.start}`, 2))).toEqual([...expected.reachable_pages].sort());
    });
  });
});
