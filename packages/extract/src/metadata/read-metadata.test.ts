import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { parsePage } from "../html/parse-page.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { collectFacts, type PageFacts } from "./collect-facts.ts";
import { parseJsonLd } from "./json-ld.ts";
import { readMicrodata } from "./microdata.ts";
import { cleanName, readAuthor } from "./read-author.ts";
import { readPublishedDate, toIsoDate } from "./read-date.ts";
import { readTitle } from "./read-title.ts";

const now = new Date("2026-01-01T00:00:00Z");
const factsOf = (html: string): PageFacts => collectFacts(parsePage(html, DEFAULT_LIMITS).root, DEFAULT_LIMITS);
const dateOf = (html: string, url = "https://example.org/"): unknown =>
  readPublishedDate(factsOf(html), url, { now, isWritten: true });

describe("readPublishedDate", () => {
  const jsonLd = '<script type="application/ld+json">{"@type":"Article","datePublished":"2024-01-01"}</script>';
  const meta = '<meta property="article:published_time" content="2024-02-02T08:00:00+0100">';
  const time = '<time datetime="2024-03-03">x</time>';
  const text = '<p class="date">Published on May 5th, 2024</p>';
  const url = "https://example.org/2024/04/04/slug";

  verifies("extract:fields:date-evidence-order", "believes the page's evidence in its order", () => {
    expect(dateOf(jsonLd + meta + time + text, url)).toEqual({ date: "2024-01-01", evidence: "json-ld" });
    expect(dateOf(meta + time + text, url)).toEqual({ date: "2024-02-02T08:00:00+01:00", evidence: "meta" });
    expect(dateOf(time + text, url)).toEqual({ date: "2024-03-03", evidence: "time" });
    expect(dateOf(text, url)).toEqual({ date: "2024-04-04", evidence: "url" });
    expect(dateOf(text)).toEqual({ date: "2024-05-05", evidence: "text" });
    expect(dateOf("<p>nothing</p>")).toBeUndefined();
  });

  it("does not believe the future or the time before the web", () => {
    expect(dateOf('<time datetime="2031-03-03">x</time>')).toBeUndefined();
    expect(dateOf('<time datetime="1890-03-03">x</time>')).toBeUndefined();
  });

  it("passes over times of other pages", () => {
    expect(dateOf('<aside><time datetime="2024-03-03">x</time></aside>')).toBeUndefined();
  });

  it.each([
    ["2024-05-06", "2024-05-06"],
    ["20240506", "2024-05-06"],
    ["2024-05-06 07:08:09 -0600", "2024-05-06T07:08:09-06:00"],
    ["2024-05-06T07:08:09.123Z", "2024-05-06T07:08:09Z"],
    ["Mon, 06 May 2024 07:08:09 GMT", "2024-05-06"],
    ["May 6, 2024", "2024-05-06"],
    ["1714979289", "2024-05-06T07:08:09Z"],
    ["2024-13-45", undefined],
    ["soon", undefined],
  ])("reads %s", (written, expected) => {
    expect(toIsoDate(written, now)).toBe(expected);
  });
});

describe("readAuthor", () => {
  it.each([
    ["By Jane Doe", "Jane Doe"],
    ["Written by  Jane\n Doe, March 3, 2024", "Jane Doe"],
    ["Jane Doe | Editor", "Jane Doe"],
    ["admin", undefined],
    ["https://example.org/jane", undefined],
    ["jane@example.org", undefined],
  ])("cleans %s", (written, expected) => {
    expect(cleanName(written)).toBe(expected);
  });

  it("joins the authors of JSON-LD and follows @id", () => {
    const html = `<script type="application/ld+json">{"@graph":[{"@type":"Article","author":[{"@id":"#a"},{"name":"Bo"}]},{"@type":"Person","@id":"#a","name":"Ann"}]}</script>`;
    expect(readAuthor(factsOf(html), true)).toBe("Ann, Bo");
  });

  it("takes the byline only where somebody writes", () => {
    const html = '<span class="author">By Jane Doe</span>';
    expect(readAuthor(factsOf(html), true)).toBe("Jane Doe");
    expect(readAuthor(factsOf(html), false)).toBeUndefined();
  });
});

describe("readTitle", () => {
  it.each([
    ["the heading that is part of the title", "<title>Flexbox - Learn | MDN</title><h1>Flexbox</h1>", "Flexbox"],
    ["the title when the heading names the site", "<title>How to bake - Crumbs</title><h1>Crumbs</h1>", "How to bake"],
    ["the title without the site", "<title>How to bake bread | Crumbs</title>", "How to bake bread"],
    [
      "the head when the heading goes on",
      "<title>How to bake bread</title><h1>How to bake bread 3 May 2024</h1>",
      "How to bake bread",
    ],
    ["the heading when there is no title", "<h1>Only a heading</h1>", "Only a heading"],
  ])("takes %s", (_, html, expected) => {
    expect(readTitle(factsOf(html), undefined, "https://example.org/x")).toBe(expected);
  });
});

describe("structured data", () => {
  it("reads JSON-LD as pages write it", () => {
    expect(parseJsonLd('<!-- {"@type":"Thing","name":"a\nb",} -->')).toEqual([{ "@type": "Thing", name: "a b" }]);
    expect(parseJsonLd("not json")).toEqual([]);
    expect(parseJsonLd('[{"@type":"A"},{"@graph":[{"@type":"B"}]}]')).toEqual([{ "@type": "A" }, { "@type": "B" }]);
  });

  it("reads nested microdata", () => {
    const html = `<div itemscope itemtype="https://schema.org/Product"><span itemprop="name">Kettle</span><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="9"></div></div>`;
    expect(readMicrodata(factsOf(html).items, (href) => href)).toEqual([
      {
        type: ["https://schema.org/Product"],
        properties: {
          name: ["Kettle"],
          offers: [{ type: ["https://schema.org/Offer"], properties: { price: ["9"] } }],
        },
      },
    ]);
  });
});
