import { readFileSync, readdirSync } from "node:fs";
import { verifies } from "@quarry/tests";
import { decodeHTML } from "entities";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractHtml } from "./extract-html.ts";
import { findWrongOffset } from "../check-offsets.ts";
import { sourceRangeOf } from "../offset-map.ts";

const url = "https://example.org/page";
const folder = new URL("../../fixtures/", import.meta.url);
const sources = readdirSync(folder).map((slug) => readFileSync(new URL(`${slug}/source.html`, folder), "utf8"));

/** Whatever goes in, every run of the text stands in the source where its map says. */
function checkSound(html: string): void {
  expect(findWrongOffset(html, extractHtml({ url, html }))).toBeUndefined();
}

const piece = fc.oneof(
  fc.constantFrom(
    ..."<p> </p> <div> </div> <table> <tr> <td> </table> <a href='/x'> </a> <pre> </pre> <script> </script> <!-- --> <![CDATA[ ]]> <svg> </svg> <title> </title> <textarea> <template> <noscript> <h1> <li> <ul> </ul> <br> <img src=x alt=y> &amp; &nbsp; &#0; &#xD800; &#x110000; &bogus; <body> <html> <head> </ < > \" ' = <p class=\"comment".split(
      " ",
    ),
  ),
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.constant(
    '<script type="application/ld+json">{"@type":"Article","author":[[[{"name":1}]]],"datePublished":{}}</script>',
  ),
  fc.constant("A sentence with some words in it, long enough to be a paragraph of its own, or so it seems to us. "),
);

/** What large pages may take on a machine that is busy with other things. */
const STARVED_MS = 120_000;

describe("extractHtml", () => {
  verifies("extract:robust:never-throws", "never throws on soup, and keeps its offsets sound", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => checkSound(pieces.join(""))),
      { numRuns: 200 },
    );
  });

  verifies("extract:robust:fuzzed", "never throws on damaged pages", () => {
    const damage = fc.record({
      source: fc.constantFrom(...sources),
      from: fc.nat(9_000),
      length: fc.nat(2_000),
      insert: fc.array(piece, { maxLength: 5 }),
    });
    fc.assert(
      fc.property(damage, ({ source, from, length, insert }) =>
        checkSound(source.slice(0, from) + insert.join("") + source.slice(from + length)),
      ),
      { numRuns: 80 },
    );
  });

  verifies("extract:offsets:source-range", "maps any quote to a range of the source that holds it", () => {
    const words = (text: string): string => text.replace(/[\s|]+/g, "");
    const quote = fc.record({
      source: fc.constantFrom(...sources),
      from: fc.nat(3_000),
      length: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(quote, ({ source, from, length }) => {
        const { text, offsets } = extractHtml({ url, html: source });
        const start = from % text.length;
        const quoted = text.slice(start, start + length);
        const range = sourceRangeOf(offsets, start, Math.min(text.length, start + length));
        if (words(quoted) === "") return;
        if (range === undefined) throw new Error(`no range for ${JSON.stringify(quoted)}`);
        // read alone, the range says at least what is quoted: blocks that were left out may stand between
        const read = words(decodeHTML(source.slice(range.start, range.end).replace(/<[^>]*>/g, " ")));
        let at = 0;
        for (const letter of read) if (letter === words(quoted).charAt(at)) at += 1;
        expect(at).toBe(words(quoted).length);
        const [line = ""] = quoted.trim().split("\n");
        if (!/[|\n]/.test(quoted)) expect(read).toContain(words(line));
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ["nothing", ""],
    ["only white space", " \n\t "],
    ["a lone surrogate", "<p>\ud800 text</p>"],
    ["a NUL", "<p>a\u0000b</p>"],
    ["a date that is none", '<meta property="article:published_time" content="9999-99-99T99:99:99Z"><p>x</p>'],
    ["a name of the prototype", '<div itemscope><b itemprop="__proto__">x</b><b itemprop="constructor">y</b></div>'],
    [
      "an entity that ends an unclosed page",
      "</A sentence of some words, long enough to be a paragraph of its own. &#xD800;",
    ],
    ["code whose lines are elements", "<pre><div>A line of code</div><div>and another one</div></pre>"],
    ["an unclosed attribute", '<p>text</p><a href="x'],
  ])("takes %s", (_, html) => {
    checkSound(html);
  });

  verifies(
    "extract:limits:million-links",
    "bounds a page of a million links",
    () => {
      const html = `<body>${Array.from({ length: 1_000_000 }, (_, index) => `<a href="/${index}">l</a> `).join("")}</body>`;
      const document = extractHtml({ url, html });
      expect(document.links.length).toBeLessThanOrEqual(5_000);
      expect(document.limitsReached).toContain("maxNodes");
    },
    STARVED_MS,
  );

  verifies(
    "extract:limits:20-mb-page",
    "bounds a page of 20 MB",
    () => {
      const html = `<body>${"<p>Twenty megabytes of the same sentence, and then some more of it.</p>".repeat(290_000)}</body>`;
      expect(html.length).toBeGreaterThan(20_000_000);
      const before = process.memoryUsage().heapUsed;
      const document = extractHtml({ url, html });
      expect(document.limitsReached).toEqual(expect.arrayContaining(["maxSourceChars"]));
      expect(document.text.length).toBeLessThanOrEqual(2_000_000);
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(600 * 1024 * 1024);
    },
    STARVED_MS,
  );

  verifies("extract:limits:200-deep", "reads text nested 200 and 100,000 deep", () => {
    for (const depth of [200, 100_000]) {
      const html = `<body>${"<div>".repeat(depth)}<p>The text at the bottom of it all, which is long enough to count.</p></body>`;
      expect(extractHtml({ url, html }).text).toContain("at the bottom of it all");
    }
  });

  it(
    "numbers a list of 100,000 items without growing slow",
    () => {
      const html = `<ol>${"<li>one of the many items of a long list</li>".repeat(100_000)}</ol>`;
      const begin = process.cpuUsage();
      extractHtml({ url, html });
      expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(15_000); // counting for each item takes minutes
    },
    STARVED_MS,
  );

  it("takes deep inline nesting and unclosed tags without growing slow", () => {
    const html = `<p>${"<b><i><a href='/x'>".repeat(30_000)}end of the text</p>${"</div>".repeat(100_000)}`;
    const begin = performance.now();
    extractHtml({ url, html });
    expect(performance.now() - begin).toBeLessThan(8_000);
  });

  it("resolves addresses against the base and keeps http only", () => {
    const html = `<base href="https://cdn.example.org/a/"><p>Some text with <a href="b">one</a>, <a href="javascript:x()">two</a> and <a href="ftp://x.org/">three</a> links in it.</p>`;
    expect(extractHtml({ url, html }).links.map((link) => link.url)).toEqual(["https://cdn.example.org/a/b"]);
  });

  it("reads robots, canonical address, alternates and feeds", () => {
    const html = `<head><meta name="robots" content="noindex, NOFOLLOW"><link rel="canonical" href="/c"><link rel="alternate" hreflang="de" href="/de"><link rel="alternate" type="application/rss+xml" href="/feed"></head>`;
    const { robots, canonicalUrl, alternates, feeds } = extractHtml({ url, html });
    expect({ robots, canonicalUrl, alternates, feeds }).toEqual({
      robots: ["noindex", "nofollow"],
      canonicalUrl: "https://example.org/c",
      alternates: { de: "https://example.org/de" },
      feeds: ["https://example.org/feed"],
    });
  });
});
