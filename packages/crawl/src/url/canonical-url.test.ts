import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalizeUrl, canonicalUrl, MAX_URL_LENGTH } from "./canonical-url.ts";
import { TRACKING_PARAMETERS } from "./tracking-parameters.ts";

describe("canonicalizeUrl", () => {
  it.each([
    ["lower-cases scheme and host, drops a default port", "HTTPS://Example.COM:443/A", "https://example.com/A"],
    ["drops the fragment, of any form", "http://a.test/#!/route", "http://a.test/"],
    ["drops credentials", "http://user:secret@a.test/x", "http://a.test/x"],
    ["resolves dot segments, escaped ones too", "http://a.test/a/%2e%2E/b/./c", "http://a.test/b/c"],
    ["undoes escapes of unreserved characters only", "http://a.test/%7Ejoe/%2fx%2a", "http://a.test/~joe/%2Fx%2A"],
    ["escapes a stray percent sign once", "http://a.test/100%/50%25", "http://a.test/100%25/50%25"],
    ["writes IDN hosts in ASCII", "http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"],
    ["drops the root dot of a host", "http://a.test./", "http://a.test/"],
    [
      "keeps a URL inside a path whole",
      "http://a.test//web//2020/http://b.test/",
      "http://a.test/web/2020/http://b.test/",
    ],
    [
      "keeps www, the trailing slash and index files",
      "http://www.a.test/x/index.html",
      "http://www.a.test/x/index.html",
    ],
    [
      "sorts by name and keeps the order of values",
      "http://a.test/?b=2&a[]=2&a[]=1",
      "http://a.test/?a%5B%5D=2&a%5B%5D=1&b=2",
    ],
    ["drops tracking parameters in any case", "http://a.test/?UTM_Source=x&id=7&gclid=1&_ga=2", "http://a.test/?id=7"],
    [
      "keeps words that only look like tracking",
      "http://a.test/?ref=home&source=2",
      "http://a.test/?ref=home&source=2",
    ],
    ["drops session ids", "http://a.test/p;jsessionid=ab12?PHPSESSID=1&x=1", "http://a.test/p?x=1"],
    ["keeps a sid that a person chose", "http://a.test/?sid=news", "http://a.test/?sid=news"],
    ["leaves no dot segment behind a dropped session id", "http://a.test/a/..;jsessionid=1/b", "http://a.test/b"],
    ["reads what someone typed", "example.com/page", "http://example.com/page"],
    ["reads a typed host with its port", "localhost:3000/x", "http://localhost:3000/x"],
  ])("%s", (_name, input, expected) => {
    expect(canonicalizeUrl(input)).toEqual({ kind: "url", url: expected });
  });

  it.each([
    ["ftp://a.test/", "scheme"],
    ["mailto:someone@a.test", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["tel:911", "scheme"],
    ["", "not-a-url"],
    ["http://", "not-a-url"],
    ["http://./", "not-a-url"],
    ["https://example%2Xcom/", "not-a-url"],
    [`http://a.test/${"x".repeat(MAX_URL_LENGTH)}`, "too-long"],
    ["x".repeat(100_000), "too-long"],
  ])("refuses what is no page's address (case %#)", (input, reason) => {
    expect(canonicalizeUrl(input)).toEqual({ kind: "refused", reason });
  });

  verifies("crawl:url:tracking-dropped", "drops every parameter on the list, and no other", () => {
    const tracking = TRACKING_PARAMETERS.map(({ name }) => `${name.replace("*", "x")}=1`).join("&");
    expect(canonicalUrl(`http://a.test/?${tracking}&q=1`)).toBe("http://a.test/?q=1");
    expect(canonicalUrl("http://a.test/?gclidx=1&xutm_source=1")).toBe("http://a.test/?gclidx=1&xutm_source=1");
  });

  it("resolves against a base and then never guesses a host", () => {
    expect(canonicalUrl("example.com/x", "http://a.test/dir/page")).toBe("http://a.test/dir/example.com/x");
  });

  it("gives its own answer for its own answer, whatever it is given", () => {
    const odd = fc.string({
      unit: fc.constantFrom(...Array.from("abA0%25eE./\\;:?&=#@()[]|^ \t~é中💥")),
      maxLength: 60,
    });
    const input = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      odd.map((text) => `http://a.test/${text}`),
      fc.tuple(odd, odd).map(([left, right]) => `http://${left}.test/${right}`),
      fc.string({ unit: "binary" }),
      fc.constantFrom("/a/.;jsessionid=1//b", "/(S(aaaaaaaaaaaaaaaaaaaaaaaa))/(S(aaaaaaaaaaaaaaaaaaaaaaaa))/x"),
    );
    fc.assert(
      fc.property(input, (text) => {
        const once = canonicalUrl(text);
        if (once === undefined) return;
        expect(canonicalUrl(once)).toBe(once);
        expect(new URL(once).href).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });
});
