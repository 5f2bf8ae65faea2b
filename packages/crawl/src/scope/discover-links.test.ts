import { describe, expect, it } from "vitest";
import { discoverLinks, MAX_LINKS_PER_PAGE, type DiscoveredLinks, type LinkingPage } from "./discover-links.ts";
import { compileScope } from "./scope.ts";

const scope = compileScope({ seeds: ["https://a.test/"], kind: "host", maxDepth: 3 });
const from = (page: Partial<LinkingPage>): DiscoveredLinks =>
  discoverLinks(scope, { url: "https://a.test/dir/page", depth: 1, nofollow: false, links: [], ...page });
const hrefs = (...all: string[]): { href: string }[] => all.map((href) => ({ href }));

describe("discoverLinks", () => {
  it("gives canonical URLs, each once, one level deeper", () => {
    expect(from({ links: hrefs("x#1", "./x?utm_source=y", "/y", "page#here") })).toEqual({
      urls: [
        { url: "https://a.test/dir/x", depth: 2 },
        { url: "https://a.test/y", depth: 2 },
      ],
      refused: { repeated: 2 },
    });
  });

  it("says why the others lead nowhere", () => {
    const links = [
      { href: "/n", rel: "noopener NoFollow" },
      ...hrefs(
        "http://[",
        "mailto:x@a.test",
        `/${"x".repeat(3000)}`,
        "/logo.PNG",
        "/a/b/a/b/a/b/a/b/a/b",
        "https://b.test/",
      ),
    ];
    expect(from({ links })).toEqual({
      urls: [],
      refused: { nofollow: 1, "not-a-url": 1, scheme: 1, "too-long": 1, asset: 1, trap: 1, "out-of-scope": 1 },
    });
  });

  it("follows none of a page that asks so, and sponsored links like others", () => {
    expect(from({ nofollow: true, links: hrefs("/x", "/y") })).toEqual({ urls: [], refused: { nofollow: 2 } });
    expect(from({ links: [{ href: "/s", rel: "sponsored" }] }).urls).toHaveLength(1);
  });

  it("resolves against a base, unless that is no web address", () => {
    expect(from({ base: "/other/", links: hrefs("x") }).urls).toEqual([{ url: "https://a.test/other/x", depth: 2 }]);
    expect(from({ base: "data:,", links: hrefs("x") }).urls).toEqual([{ url: "https://a.test/dir/x", depth: 2 }]);
  });

  it("stops below the crawl's depth", () => {
    expect(from({ depth: 3, links: hrefs("/x") })).toEqual({ urls: [], refused: { "out-of-scope": 1 } });
  });

  it("takes so many of a page and no more", () => {
    const { urls, refused } = from({
      links: Array.from({ length: 150_000 }, (_link, index) => ({ href: `/${index}` })),
    });
    expect([urls.length, refused]).toEqual([MAX_LINKS_PER_PAGE, { "over-limit": 145_000 }]);
  });
});
