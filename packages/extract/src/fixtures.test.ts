import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { extractHtml } from "./html/extract-html.ts";
import { parsePage } from "./html/parse-page.ts";
import { textOf, walkTree } from "./html/page-tree.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { sourceRangeOf } from "./offset-map.ts";
import { toExpectation } from "./testing.ts";

const folder = new URL("../fixtures/", import.meta.url);
const slugs = readdirSync(folder);

function readFixture(slug: string): {
  readonly url: string;
  readonly html: string;
  readonly json: string;
  readonly markdown: string;
} {
  const read = (name: string): string => readFileSync(new URL(`${slug}/${name}`, folder), "utf8");
  const json = read("expected.json");
  const { url } = JSON.parse(json) as { readonly url: string };
  return { url, html: read("source.html"), json, markdown: read("expected.md") };
}

const now = new Date("2030-01-01T00:00:00Z");

describe.each(slugs)("fixture %s", (slug) => {
  const fixture = readFixture(slug);
  const document = extractHtml({ url: fixture.url, html: fixture.html, now });

  it("gives the expected Markdown and metadata", () => {
    const { json, markdown } = toExpectation(document);
    expect(markdown).toBe(fixture.markdown);
    expect(JSON.parse(json)).toEqual(JSON.parse(fixture.json));
  });

  it("maps every run of the text to the source it was read from", () => {
    const { text, offsets } = document;
    for (let run = 0; run < offsets.length; run += 4) {
      const [textStart = 0, textLength = 0, sourceStart = 0, sourceLength = 0] = offsets.slice(run, run + 4);
      if (textLength !== sourceLength) continue;
      const shown = text.slice(textStart, textStart + textLength);
      const source = fixture.html.slice(sourceStart, sourceStart + sourceLength);
      expect(source.replace(/\s/g, " ")).toBe(shown.replace(/\s/g, " "));
    }
  });

  it("points a heading's offsets at the heading", () => {
    for (const heading of document.headings) {
      expect(document.text.slice(heading.start, heading.end)).toBe(heading.text);
      const range = sourceRangeOf(document.offsets, heading.start, heading.end);
      expect(fixture.html.slice(range?.start, range?.end)).toContain(heading.text.split(/[&#]/)[0]?.trim());
    }
  });
});

/** The fixtures mark their own main content with `data-gold`, which the extractor does not read. */
function goldOf(html: string): string {
  const marked = html.replace(/ data-gold/g, ' role="data-gold"');
  const texts: string[] = [];
  walkTree(parsePage(marked, DEFAULT_LIMITS).root, (node) => {
    if (node.kind === "text" || node.attributes["role"] !== "data-gold") return true;
    texts.push(textOf(node));
    return false;
  });
  return texts.join(" ");
}

function wordF1(truth: string, found: string): number {
  const bag = new Map<string, number>();
  const truthWords = truth.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const foundWords = found.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of truthWords) bag.set(word, (bag.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of foundWords) {
    const left = bag.get(word) ?? 0;
    if (left === 0) continue;
    bag.set(word, left - 1);
    shared += 1;
  }
  return (2 * shared) / (truthWords.length + foundWords.length);
}

describe("quality floor (smoke version of `npm run eval -- --only extract`)", () => {
  it("finds the main content of the fixtures", () => {
    const scores = slugs.map((slug) => {
      const { url, html } = readFixture(slug);
      return { slug, f1: wordF1(goldOf(html), extractHtml({ url, html, now }).text) };
    });
    const mean = scores.reduce((sum, { f1 }) => sum + f1, 0) / scores.length;
    expect(scores.filter(({ f1 }) => f1 < 0.6)).toEqual([]);
    expect(mean).toBeGreaterThan(0.9);
  });
});
