import { describe, expect, it } from "vitest";
import { chooseCanonical, followCanonicals, type CanonicalClaim } from "./choose-canonical.ts";

const page = (claim: Partial<CanonicalClaim>): CanonicalClaim => ({
  url: "https://a.example.com/shop/item",
  links: [],
  ...claim,
});
const self = (url: string, doubt?: string): unknown => ({
  kind: "self",
  url,
  ...(doubt === undefined ? {} : { doubt }),
});

describe("chooseCanonical", () => {
  it.each([
    ["a relative link", ["/shop/item-7"], "https://a.example.com/shop/item-7"],
    ["another host of the site", ["https://www.example.com/shop/item"], "https://www.example.com/shop/item"],
    ["the same link twice, once with tracking", ["/item?utm_source=x", "/item"], "https://a.example.com/item"],
  ])("believes %s", (_name, links, url) => {
    expect(chooseCanonical(page({ links }))).toEqual({ kind: "declared", url });
  });

  it.each([
    ["conflicting", page({ links: ["/a", "/b"] })],
    ["not-a-url", page({ links: ["http://["] })],
    ["not-a-url", page({ links: [" "] })],
    ["not-a-url", page({ links: ["javascript:void(0)"] })],
    ["other-site", page({ links: ["https://b.example.net/item"] })],
    ["downgrade", page({ links: ["http://a.example.com/shop/item"] })],
    ["home-page", page({ links: ["/"] })],
    ["another-page-of-a-list", page({ url: "https://a.example.com/list?page=3", links: ["/list"] })],
    ["another-page-of-a-list", page({ url: "https://a.example.com/blog/page/3/", links: ["/blog/"] })],
    [
      "another-language",
      page({
        url: "https://a.example.com/de/x",
        links: ["/en/x"],
        alternates: [
          { language: "de-CH", url: "/de/x" },
          { language: "en", url: "/en/x" },
          { language: "x-default", url: "/en/x" },
        ],
      }),
    ],
    ["another-language", page({ language: "de", links: ["/en/x"], alternates: [{ language: "en", url: "/en/x" }] })],
  ])("stays put for a claim that is %s", (doubt, claim) => {
    expect(chooseCanonical(claim)).toEqual(self(claim.url, doubt));
  });

  it("stays put without a claim, or with one that names the page itself", () => {
    expect(chooseCanonical(page({}))).toEqual(self("https://a.example.com/shop/item"));
    expect(chooseCanonical(page({ links: ["/shop/item#top"] }))).toEqual(self("https://a.example.com/shop/item"));
  });

  it("lets an index file and a home page with a query point home", () => {
    for (const url of ["https://a.example.com/index.html", "https://a.example.com/?lang=en"]) {
      expect(chooseCanonical(page({ url, links: ["/"] }))).toEqual({ kind: "declared", url: "https://a.example.com/" });
    }
  });

  it("lets a first page drop its number, and a WordPress post its id", () => {
    expect(chooseCanonical(page({ url: "https://a.example.com/list?page=1", links: ["/list"] })).kind).toBe("declared");
    expect(chooseCanonical(page({ url: "https://a.example.com/?p=123", links: ["/a-post/"] })).kind).toBe("declared");
  });
});

describe("followCanonicals", () => {
  const declared =
    (links: Readonly<Record<string, string>>) =>
    (url: string): string | undefined =>
      links[url];

  it("goes to the end of a chain", () => {
    expect(followCanonicals("a", declared({ a: "b", b: "c", c: "c" }))).toBe("c");
  });

  it("gives every member of a loop the same answer", () => {
    const loop = declared({ x: "a", a: "c", c: "b", b: "a" });
    expect(["x", "a", "b", "c"].map((url) => followCanonicals(url, loop))).toEqual(["a", "a", "a", "a"]);
  });

  it("stops after a few hops of an endless chain", () => {
    expect(followCanonicals("1", (url) => String(Number(url) + 1))).toBe("6");
  });
});
