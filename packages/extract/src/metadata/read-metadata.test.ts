import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import { parsePage } from "../html/parse-page.ts";
import { findBlocks } from "../html/text-blocks.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { collectFacts, type PageFacts } from "./collect-facts.ts";
import { parseJsonLd } from "./json-ld.ts";
import { readMicrodata } from "./microdata.ts";
import { readCreditLines } from "./credit-lines.ts";
import { cleanName, readAuthor, type AuthorContext } from "./read-author.ts";
import { readPublishedDate, toIsoDate, type DateContext } from "./read-date.ts";
import { readTitle, type TitleContext } from "./read-title.ts";

const now = new Date("2026-01-01T00:00:00Z");
const factsOf = (html: string): PageFacts => collectFacts(parsePage(html, DEFAULT_LIMITS).root, DEFAULT_LIMITS);
const article: DateContext = { now, kind: "article", isSure: true, creditLines: [] };
const dateOf = (html: string, url = "https://example.org/", context = article): unknown =>
  readPublishedDate(factsOf(html), url, context);
const written: AuthorContext = { isWritten: true, siteNames: [], creditLines: [] };

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

  it.each([
    ["2024/5/6 10:00:00", "2024-05-06"],
    ["2024-5-6", "2024-05-06"],
    ["2024.05.06", "2024-05-06"],
    ["2024/02/30", undefined],
    ["Mon, 06 May 2024 00:30:00", "2024-05-06"],
    ["Mon, 06 May 2024 00:30:00 +0900", "2024-05-06"],
    ["May 6, 2024 11:59 PM EST", "2024-05-06"],
  ])("reads %s as the day it names, wherever the server stands", (content, date) => {
    for (const zone of ["Asia/Tokyo", "America/Los_Angeles"]) {
      vi.stubEnv("TZ", zone);
      expect(toIsoDate(content, now)).toBe(date);
    }
    vi.unstubAllEnvs();
  });

  it("takes the day first where dots are written", () => {
    const german = (day: string): unknown => dateOf(`<p class="date">Stand: ${day}</p>`);
    expect(german("06.05.2024")).toEqual({ date: "2024-05-06", evidence: "text" });
    expect(german("6. 5. 2024")).toEqual({ date: "2024-05-06", evidence: "text" });
  });

  it("passes over times of other pages", () => {
    expect(dateOf('<aside><time datetime="2024-03-03">x</time></aside>')).toBeUndefined();
  });

  it("takes a date beside the title before others in the text, and one of a change last", () => {
    const creditLines = ["Updated June 7, 2024", "© 2024 Crumbs", "3 June 2024 · 5 min read"];
    expect(dateOf(text, undefined, { ...article, creditLines })).toEqual({ date: "2024-06-03", evidence: "text" });
    expect(dateOf(text, undefined, { ...article, creditLines: creditLines.slice(0, 2) })).toEqual({
      date: "2024-06-07",
      evidence: "text",
    });
    expect(dateOf(text, undefined, { ...article, kind: "forum", creditLines })).toEqual({
      date: "2024-05-05",
      evidence: "text",
    });
  });

  it("does not take the stamp of a shop's page for a date, unless the page may be no shop's", () => {
    const shop: DateContext = { ...article, kind: "product" };
    expect(dateOf(jsonLd + meta, undefined, shop)).toBeUndefined();
    expect(dateOf(meta, undefined, { ...shop, isSure: false })).toEqual({
      date: "2024-02-02T08:00:00+01:00",
      evidence: "meta",
    });
    expect(dateOf(jsonLd + meta, undefined, { ...shop, kind: "documentation" })).toEqual({
      date: "2024-01-01",
      evidence: "json-ld",
    });
  });

  it("reads times in wrappers that only sound like margins", () => {
    expect(dateOf('<div class="elementor-widget-post"><time datetime="2024-03-03">x</time></div>')).toEqual({
      date: "2024-03-03",
      evidence: "time",
    });
    expect(dateOf('<div class="sidebar-right"><time datetime="2024-03-03">x</time></div>')).toBeUndefined();
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
    ["Authors", undefined],
    ["https://example.org/jane", undefined],
    ["jane@example.org", undefined],
  ])("cleans %s", (written, expected) => {
    expect(cleanName(written)).toBe(expected);
  });

  it("joins the authors of JSON-LD and follows @id", () => {
    const html = `<script type="application/ld+json">{"@graph":[{"@type":"Article","author":[{"@id":"#a"},{"name":"Bo"}]},{"@type":"Person","@id":"#a","name":"Ann"}]}</script>`;
    expect(readAuthor(factsOf(html), written)).toBe("Ann, Bo");
  });

  it("takes the byline only where somebody writes", () => {
    const html = '<span class="author">By Jane Doe</span>';
    expect(readAuthor(factsOf(html), written)).toBe("Jane Doe");
    expect(readAuthor(factsOf(html), { ...written, isWritten: false })).toBeUndefined();
  });
});

describe("the author beside the title", () => {
  it.each([
    ["By Sofia Gonzalez December 2, 2025", "Sofia Gonzalez"],
    ["Posted by David at December 16, 2025 11:15 AM", "David"],
    ["By Genaveve Bradshaw ⋅ Senior Analyst ⋅ Updated March 5, 2025", "Genaveve Bradshaw"],
    ["Thread starter old_hand", "old_hand"],
    ["By stepping into this place you agree", undefined],
    ["A plain line", undefined],
  ])("reads %s", (line, expected) => {
    expect(readAuthor(factsOf(""), { ...written, creditLines: [line] })).toBe(expected);
  });

  it("believes a byline before the name of the site, and the site when it names nobody else", () => {
    const head = '<meta name="author" content="The Daily Crumb">';
    const context = { ...written, siteNames: ["the daily crumb"] };
    expect(readAuthor(factsOf(`${head}<span class="author">Jane Doe</span>`), context)).toBe("Jane Doe");
    expect(readAuthor(factsOf(head), context)).toBe("The Daily Crumb");
    expect(readAuthor(factsOf(head), { ...context, isWritten: false })).toBeUndefined();
  });

  it("passes over the author of a review and reads a name given in a meta", () => {
    const review = '<div itemscope itemtype="https://schema.org/Review"><meta itemprop="author" content="Bo"></div>';
    expect(readAuthor(factsOf(review), written)).toBeUndefined();
    const card = '<div itemprop="author" itemscope><a href="/u/1">ewok</a><meta itemprop="name" content="Ewok"></div>';
    expect(readAuthor(factsOf(card), written)).toBe("Ewok");
  });
});

describe("readCreditLines", () => {
  it("gives the short lines around the heading that says the title", () => {
    const html = `<body><h1>Crumbs</h1><p>Menu line</p><h2>How to bake bread</h2><p>By Jane Doe</p><nav><p>Home</p></nav>
      <p>3 May 2024</p><p>${"A long paragraph. ".repeat(10)}</p></body>`;
    const { blocks } = findBlocks(parsePage(html, DEFAULT_LIMITS).root, DEFAULT_LIMITS);
    expect(readCreditLines(blocks, "How to bake bread")).toEqual(["By Jane Doe", "3 May 2024", "Menu line", "Crumbs"]);
    expect(readCreditLines([], "How to bake bread")).toEqual([]);
  });
});

describe("readTitle", () => {
  const titleOf = (html: string, context: Partial<TitleContext> = {}): string | undefined =>
    readTitle(factsOf(html), { url: "https://example.org/x", siteName: undefined, kind: "article", ...context });

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
    [
      "the heading with the part after a dash that the title has too",
      "<title>Dare to bake 3 / October loaf – Crumbs</title><h1>Dare to bake 3 / October loaf</h1>",
      "Dare to bake 3 / October loaf",
    ],
    [
      "the heading without labels and buttons",
      '<title>Solved - Dough 2024 | Crumbs</title><h1><span class="label label--red">Solved</span> Dough 2024 <button>Follow</button></h1>',
      "Dough 2024",
    ],
    [
      "the heading however far it is indented",
      `<title>Bread | Crumbs</title><h1>${" ".repeat(600)}<span>${" ".repeat(600)}How to bake bread</span></h1>`,
      "How to bake bread",
    ],
    [
      "the heading without a number that the title does not have",
      "<title>Crumbs - Dough that rises</title><h1>3.1 Baking - Dough that rises</h1>",
      "Baking - Dough that rises",
    ],
    [
      "the heading with a number that the title has",
      "<title>3.1 Dough that rises — Bread</title><h1>3.1 Dough that rises</h1>",
      "3.1 Dough that rises",
    ],
    [
      "the headline of structured data as it is meant",
      '<script type="application/ld+json">{"@type":"Article","headline":"Ann&#8217;s bread of today"}</script><h1>Ann’s bread of today 3 May 2024</h1><title>Crumbs</title>',
      "Ann’s bread of today",
    ],
  ])("takes %s", (_, html, expected) => {
    expect(titleOf(html)).toBe(expected);
  });

  it.each([
    ["the heading its address repeats", "https://shop.example/electric_guitars.html", "Electric Guitars"],
    ["the head elsewhere", "https://shop.example/c/12", "Buy Electric Guitars at Stringland"],
  ])("takes %s", (_, url, expected) => {
    const html = "<title>Buy Electric Guitars at Stringland – Stringland UK</title><h1>Electric Guitars</h1>";
    expect(titleOf(html, { url, siteName: "Stringland UK", kind: "collection" })).toBe(expected);
  });

  it.each([
    ["its address names a part of", "https://shop.example/kits/bread-kit", "Bread Kit - 32 pieces", "Bread Kit"],
    ["its address names the end of", "https://shop.example/p/krume-brot/", "Sourdough Krüme Brot", "Krüme Brot"],
    [
      "two steps of its address name",
      "https://scores.example/bread/standings",
      "Bread Standings 2025-26",
      "Bread Standings",
    ],
    [
      "a single word of its address is in",
      "https://shop.example/bread",
      "Bread - for all days",
      "Bread - for all days",
    ],
    [
      "the address says whole",
      "https://school.example/certificates/bread-baking",
      "Bread Baking Certificate",
      "Bread Baking Certificate",
    ],
    ["no address names", "https://shop.example/a%", "Bread Kit - 32 pieces", "Bread Kit - 32 pieces"],
  ])("takes of a heading that %s what is meant", (_, url, heading, expected) => {
    const html = `<title>${expected} - Stringland</title><h1>${heading}</h1>`;
    expect(titleOf(html, { url, siteName: "Stringland", kind: "product" })).toBe(expected);
  });

  it("writes a heading in small letters as the head does, where nothing but the letters' size differs", () => {
    expect(titleOf("<title>History of bread | Crumbs</title><h1>history of bread</h1>")).toBe("History of bread");
    expect(titleOf("<title>Bread_size - Crumbs</title><h1>bread::size</h1>")).toBe("bread::size");
  });

  it("calls a page that says no more than Home by the name of its site", () => {
    const html = '<title>Home - The Crumbs Weblog</title><meta property="og:title" content="Home">';
    expect(titleOf(html, { url: "https://crumbs.example/", kind: "listing" })).toBe("The Crumbs Weblog");
    expect(titleOf("<title>Home</title>", { url: "https://crumbs.example/" })).toBe("Home");
  });

  it("takes a second-level heading that the address asks for", () => {
    const html =
      "<title>Browse subject: Bread -- Catalogs | The Books Page</title><h1>The Books Page</h1><h2>Bread -- Catalogs</h2>";
    const url = "https://books.example/browse?type=subject&key=Bread%20--%20Catalogs&c=x";
    expect(titleOf(html, { url, kind: "listing" })).toBe("Bread -- Catalogs");
    expect(titleOf(html, { url: "https://books.example/browse", kind: "listing" })).toBe(
      "Browse subject: Bread -- Catalogs",
    );
  });

  it("takes a second-level heading that the address repeats where no first-level one is about the page", () => {
    const html =
      "<title>Your First Loaf in Nine Ways | Crumbs</title><h1>Crumbs</h1><h2>Your cart</h2><h2>Nine Ways to Bake Your First Loaf</h2>";
    expect(titleOf(html, { url: "https://crumbs.example/b/nine-ways-to-bake-your-first-loaf?ref=a" })).toBe(
      "Nine Ways to Bake Your First Loaf",
    );
    expect(titleOf(html, { url: "https://crumbs.example/b/9" })).toBe("Your First Loaf in Nine Ways");
  });

  it.each([
    ["service", "Bread Baking Diploma"],
    ["listing", "Bread Baking Diploma"],
    ["product", "Bread Baking"],
    ["article", "Bread Baking"],
  ] as const)("of a %s whose heading is short for what both titles of the head say is %s", (kind, expected) => {
    const head = (title: string): string =>
      `<title>${title} | Crumbs College</title><meta property="og:title" content="${title}">`;
    const url = "https://crumbs.example/courses/bread-baking";
    const heading = "<h1>Bread Baking</h1>";
    expect(titleOf(head("Bread Baking Diploma") + heading, { url, kind })).toBe(expected);
    const praised = '<title>Bread Baking Diploma</title><meta property="og:title" content="Become a baker">';
    expect(titleOf(praised + heading, { url, kind })).toBe("Bread Baking");
  });

  it("takes the heading of something written, and the head's title where the heading is a slogan", () => {
    const html =
      '<title>Kettles - Stringland</title><meta property="og:type" content="article"><h1>Tea as your neighbours drink it</h1>';
    expect(titleOf(html)).toBe("Tea as your neighbours drink it");
    expect(titleOf(html, { kind: "collection" })).toBe("Kettles");
  });

  it("keeps the whole title of a home page that begins with the site, and drops the host elsewhere", () => {
    const home = "<title>Stringland | Guitars and more</title><h1>Stringland turns five</h1>";
    expect(titleOf(home, { url: "https://stringland.example/", siteName: "Stringland", kind: "service" })).toBe(
      "Stringland | Guitars and more",
    );
    const weblog = "<title>crumbs.example Vibe Baking</title><h1>crumbs.example</h1>";
    expect(titleOf(weblog, { url: "https://crumbs.example/a" })).toBe("Vibe Baking");
  });
});

function microdataOf(html: string): unknown {
  const { items, byId } = factsOf(html);
  return readMicrodata(items, { resolve: (href) => href, byId });
}

describe("structured data", () => {
  it("reads JSON-LD as pages write it", () => {
    expect(parseJsonLd('<!-- {"@type":"Thing","name":"a\nb",} -->')).toEqual([{ "@type": "Thing", name: "a\nb" }]);
    expect(parseJsonLd("not json")).toEqual([]);
    expect(parseJsonLd('// said so\n{"name": "a // b", /* c */ "url": "x",}')).toEqual([{ name: "a // b", url: "x" }]);
    expect(parseJsonLd('<!-- why --> {"name": "<!-- in --> \n text"}')).toEqual([{ name: "<!-- in --> \n text" }]);
    expect(parseJsonLd('[{"@type":"A"},{"@graph":[{"@type":"B"}]}]')).toEqual([{ "@type": "A" }, { "@type": "B" }]);
  });

  it("follows itemref, not in circles, and reads an object's data", () => {
    const html = `<div itemscope itemref="a b me" id="me"><b itemprop="x">1</b></div>
      <p id="a"><i itemprop="y">2</i></p><div id="b" itemprop="z" itemscope itemref="b"><object itemprop="o" data="/d"></object></div>`;
    expect(microdataOf(html)).toEqual([
      { type: [], properties: { x: ["1"], y: ["2"], z: [{ type: [], properties: { o: ["/d"] } }] } },
    ]);
  });

  it("reads nested microdata", () => {
    const html = `<div itemscope itemtype="https://schema.org/Product"><span itemprop="name">Kettle</span><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="9"></div></div>`;
    expect(microdataOf(html)).toEqual([
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
