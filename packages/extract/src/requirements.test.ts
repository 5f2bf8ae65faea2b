import { readFileSync } from "node:fs";
import { verifies } from "@quarry/tests";
import { zipSync } from "fflate";
import { describe, expect } from "vitest";
import { extractHtml } from "./html/extract-html.ts";
import type { ExtractedDocument } from "./extracted-document.ts";
import { extractPage } from "./extract-page.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { sourceRangeOf } from "./offset-map.ts";

const folder = new URL("../fixtures/", import.meta.url);

function sourceOf(slug: string): string {
  return readFileSync(new URL(`${slug}/source.html`, folder), "utf8");
}

function read(slug: string, url = "https://fixture.example/a/page"): ExtractedDocument {
  return extractHtml({ url, html: sourceOf(slug), now: new Date("2030-01-01T00:00:00Z") });
}

describe("main text and Markdown", () => {
  verifies("extract:html:main-text", "finds the main text and leaves the frame out", () => {
    const { text } = read("article-news");
    expect(text).toContain("The night ferry to the northern isles will sail again");
    for (const frame of ["We use cookies", "Privacy policy", "Five beaches", "All rights reserved"])
      expect(text).not.toContain(frame);
  });

  verifies(["extract:html:markdown", "extract:html:links"], "keeps headings, quotes and links", () => {
    const { markdown } = read("article-news");
    expect(markdown).toContain("\n## What the crossing costs\n");
    expect(markdown).toContain("\n> Nobody moves to a place");
    expect(markdown).toContain("[the harbour master](https://fixture.example/people/harbour-master)");
  });

  verifies("extract:html:tables", "keeps tables", () => {
    expect(read("documentation-api").markdown).toContain(
      "| Status | Retried | Wait |\n| --- | --- | --- |\n| 408 | yes | one second |",
    );
  });

  verifies("extract:html:code", "keeps code with its language", () => {
    const { markdown, codeBlocks } = read("documentation-api");
    expect(markdown).toContain("```ts\nconst client = makeClient({\n  maxTries: 5,\n");
    expect(codeBlocks.map(({ language }) => language)).toEqual(["ts"]);
  });

  verifies("extract:html:lists", "keeps lists with their nesting", () => {
    const words = "which says something of its own, so that it is read as text and not as a menu";
    const html = `<main><p>A paragraph that introduces the list, ${words}.</p><ul><li>First entry, ${words}<ul><li>Inner entry, ${words}</li></ul></li><li>Second entry, ${words}</li></ul><p>A paragraph after the list, ${words}.</p></main>`;
    const { markdown } = extractHtml({ url: "https://fixture.example/", html });
    expect(markdown).toContain(`- First entry, ${words}\n    - Inner entry, ${words}\n- Second entry`);
    expect(read("documentation-api").markdown).toContain("1. Make the client once and share it.\n2. Give every");
  });
});

describe("kinds of page", () => {
  verifies("extract:pages:article", "reads an article", () => {
    expect(read("article-news").pageType).toBe("article");
    expect(read("article-plain-german").text).toContain("Drei Sommer lang war er trocken");
  });
  verifies("extract:pages:documentation", "reads documentation", () => {
    const { pageType, headings } = read("documentation-api", "https://docs.lattice.example/docs/retry");
    expect([pageType, ...headings.map(({ text }) => text)]).toEqual([
      "documentation",
      "Retrying requests",
      "When a request is retried",
      "Changing the number of tries",
    ]);
  });
  verifies("extract:pages:product", "reads a product", () => {
    const { text, pageType } = read("product-kettle");
    expect(pageType).toBe("product");
    expect(text).toContain("A kettle for people who pour slowly");
    expect(text).not.toContain("Hand grinder");
  });
  verifies("extract:pages:forum", "keeps every post of a thread", () => {
    const { text } = read("forum-thread");
    for (const post of ["My starter doubles", "That sounds over-proofed", "I will try that today", "Keep the water"]) {
      expect(text).toContain(post);
    }
  });
  verifies("extract:pages:listing", "keeps the entries of a list", () => {
    const { text } = read("listing-walks");
    for (const entry of ["Valley loop", "Ridge path", "Old railway", "Forest of nine springs", "Lighthouse round"]) {
      expect(text).toContain(entry);
    }
  });
  verifies("extract:pages:service", "reads a service page", () => {
    const { text, pageType } = read("service-repair");
    expect(pageType).toBe("service");
    expect(text).toContain("We find the leak");
    expect(text).toContain("Do you work in winter?");
  });
});

describe("fields", () => {
  const document = read("article-news");
  verifies("extract:fields:title", "takes the title without the site's name", () => {
    expect(document.title).toBe("Ferry line to the northern isles returns after nine years");
  });
  verifies("extract:fields:author", "finds the author", () => {
    expect(document.author).toBe("Mara Lindqvist");
  });
  verifies("extract:fields:published-date", "finds the published date", () => {
    expect(document.publishedDate).toBe("2024-05-03T07:30:00+02:00");
  });
  verifies("extract:fields:language", "recognises the language, also against the page's own word", () => {
    expect([document.language, read("article-plain-german").language]).toEqual(["en", "de"]);
    const html = sourceOf("article-plain-german").replace('lang="de"', 'lang="en"');
    expect(extractHtml({ url: "https://dorf.example/", html }).language).toBe("de");
  });
  verifies("extract:fields:site-name", "finds the site's name", () => {
    expect(document.siteName).toBe("Harbour Gazette");
  });
  verifies("extract:fields:description", "finds the description", () => {
    expect(document.description).toBe("The night ferry to the northern isles sails again from May.");
  });
  verifies(["extract:fields:favicon", "extract:fields:image"], "makes icon and image absolute", () => {
    expect([document.favicon, document.image]).toEqual([
      "https://fixture.example/icon.png",
      "https://fixture.example/img/ferry.jpg",
    ]);
  });
  verifies(
    ["extract:fields:links", "extract:fields:image-links"],
    "lists links in page order and images, absolute",
    () => {
      const urls = document.links.map((link) => link.url);
      expect(urls.slice(0, 3)).toEqual([
        "https://fixture.example/",
        "https://fixture.example/about",
        "https://fixture.example/topics",
      ]);
      expect(urls.every((url) => url.startsWith("https://"))).toBe(true);
      expect(document.imageLinks).toEqual([
        { url: "https://fixture.example/img/ferry.jpg", alt: "The ferry at the quay", inMain: true },
      ]);
    },
  );
  verifies("extract:structured:opengraph", "reads OpenGraph", () => {
    expect(document.structuredData.openGraph["og:site_name"]).toBe("Harbour Gazette");
  });
  verifies("extract:structured:microdata", "reads microdata", () => {
    expect(read("product-kettle").structuredData.microdata[0]).toMatchObject({
      type: ["https://schema.org/Product"],
      properties: { name: ["Pour-over kettle 1.2 l, copper"] },
    });
  });
  verifies("extract:structured:json-ld", "reads JSON-LD, also slightly broken", () => {
    const html = `<script type="application/ld+json">/*<![CDATA[*/ {"@type":"Article","headline":"a\n b",} /*]]>*/</script>`;
    expect(extractHtml({ url: "https://fixture.example/", html }).structuredData.jsonLd).toEqual([
      { "@type": "Article", headline: "a\n b" },
    ]);
  });
});

describe("offsets", () => {
  verifies(
    ["extract:offsets:text-at-range", "extract:offsets:source-range"],
    "maps ranges of the text to the source",
    () => {
      const html = sourceOf("article-news");
      const { text, offsets, headings } = read("article-news");
      for (const heading of headings) expect(text.slice(heading.start, heading.end)).toBe(heading.text);
      const quote = "Bicycles travel free of charge & dogs pay half.";
      const start = text.indexOf(quote);
      const range = sourceRangeOf(offsets, start, start + quote.length);
      expect(html.slice(range?.start, range?.end)).toBe("Bicycles travel free of charge &amp; dogs pay half.");
    },
  );
});

describe("archives", () => {
  verifies("extract:robust:zip-bomb", "answers a zip bomb with a typed failure", async () => {
    // one small archive holds a bomb for each kind; what counts is that it unpacks to more than the limit, by far
    const zeros = new Uint8Array(2_000_000);
    const parts = { "word/document.xml": zeros, "ppt/slides/slide1.xml": zeros, "a.xml": zeros };
    const bytes = zipSync(parts, { level: 6 });
    const limits = { ...DEFAULT_LIMITS, maxUnpackedBytes: 1_000_000 };
    expect(bytes.length * 100).toBeLessThan(zeros.length);
    for (const ending of ["docx", "pptx", "epub"]) {
      const outcome = await extractPage({
        url: `https://x.example/a.${ending}`,
        bytes,
        mediaType: "application/zip",
        limits,
      });
      expect(outcome).toMatchObject({ kind: "failed", reason: "too-large" });
    }
  });
});
