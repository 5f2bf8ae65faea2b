import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { extractPage } from "@quarry/extract";
import { strToU8, zipSync } from "fflate";
import { readExtractSet } from "../eval/extract-sets.ts";
import { makeCollector } from "../eval/extract-timing.ts";
import { HOSTILE_PAGES, MAX_HOSTILE_MS } from "./extract-hostile.ts";
import type { Random } from "./random.ts";
import type { Soak } from "./soak.ts";
import { tryPage } from "./try-page.ts";

const DAMAGED_PAGES = 6_000;
const DAMAGED_FILES = 1_000;
/** A page of ordinary size may take this long on a machine that is busy with other work; a hang takes longer. */
const MAX_PAGE_MS = 10_000;
/** What may be kept of the worst page: its text, its Markdown, their map, and the page itself where they share it. */
const MAX_KEPT_BYTES = 150 * 1024 * 1024;
const MAX_PAGE_CHARS = 120_000;

/**
 * Damages real pages (of the judged sets where they are, else our own fixtures) and files in every way we know, and
 * looks whether extraction throws, hangs, breaks a limit or points at places where the text is not.
 */
export const extractFuzzSoak: Soak = {
  name: "extract-fuzz",
  run: async ({ random, size, report }) => {
    const violations: string[] = [];
    const pages = readPages();
    report(`${pages.length} pages to damage`);
    let slowestMs = 0;
    const pageCount = Math.ceil(DAMAGED_PAGES * size);
    for (let index = 0; index < pageCount && violations.length < 20; index += 1) {
      const html = damage(random, pages);
      const { problem, milliseconds } = tryPage(html, MAX_PAGE_MS);
      slowestMs = Math.max(slowestMs, milliseconds);
      if (problem !== undefined) violations.push(`page ${index}: ${problem}; ${JSON.stringify(html.slice(0, 300))}`);
      if (index % 500 === 499) report(`${index + 1} of ${pageCount} pages, slowest ${Math.round(slowestMs)} ms`);
    }
    const fileCount = Math.ceil(DAMAGED_FILES * size);
    for (let index = 0; index < fileCount && violations.length < 20; index += 1) {
      const problem = await tryFile(random);
      if (problem !== undefined) violations.push(`file ${index}: ${problem}`);
    }
    const collectGarbage = makeCollector();
    let hostile = 0;
    for (const [name, make] of HOSTILE_PAGES) {
      if (size < 1 && random.chance(0.75)) continue;
      hostile += 1;
      report(name);
      const html = make();
      collectGarbage();
      const heapBefore = process.memoryUsage().heapUsed;
      const { problem, milliseconds, document } = tryPage(html, MAX_HOSTILE_MS);
      slowestMs = Math.max(slowestMs, milliseconds);
      if (problem !== undefined) violations.push(`${name}: ${problem}`);
      collectGarbage();
      const keptBytes = process.memoryUsage().heapUsed - heapBefore;
      // asked after the measurement, so that the document is what is measured
      if (keptBytes > MAX_KEPT_BYTES && document !== undefined)
        violations.push(`${name}: what came of it takes ${Math.round(keptBytes / 1e6)} MB`);
    }
    return {
      figures: { pages: pageCount, files: fileCount, hostile, slowestMs: Math.round(slowestMs) },
      violations,
    };
  },
};

function readPages(): readonly string[] {
  const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
  const judged = (["article-extraction-benchmark", "wcxb-dev"] as const)
    .flatMap((name) => readExtractSet(dataDir, name) ?? [])
    .map(({ html }) => html.slice(0, MAX_PAGE_CHARS));
  const folder = path.join("packages", "extract", "fixtures");
  const own = readdirSync(folder).map((slug) => readFileSync(path.join(folder, slug, "source.html"), "utf8"));
  return [...judged, ...own];
}

const SCRAPS = [
  ..."<p> </p> <div> </div> <table><tr><td> </table> <a\u0020href=/x> <pre> </pre> <script> </script> <!-- --> <![CDATA[ ]]> <svg> </svg> <math> <title> <textarea> <template> <noscript> <h1> <li> <ul> </ul> <br> <plaintext> </body> </html> </ < > \" ' = & &# &#x &amp &#0; &#xD800; &#x110000; &bogus; \u0000 \ud800 \udc00 \ufeff \u202e {{x}}".split(
    " ",
  ),
  '<script type="application/ld+json">{"@type":"Article","author":[[[{"name":1}]]],"datePublished":{}}</script>',
  '<div itemscope itemprop="__proto__" itemtype="x y"><b itemprop="constructor">',
  '<meta property="article:published_time" content="9999-99-99T99:99:99Z">',
  "A sentence with some words in it, long enough to be a paragraph of its own, or so it seems to us. ",
];

/** One to four damages to a page: cuts, splices, flips, repeats, scraps, nesting. */
function damage(random: Random, pages: readonly string[]): string {
  let html = random.pick(pages);
  for (let round = random.integer(1, 4); round > 0; round -= 1) {
    const from = random.integer(0, html.length);
    const to = Math.min(html.length, from + random.integer(0, random.chance(0.3) ? 20_000 : 200));
    switch (random.integer(0, 7)) {
      case 0:
        html = html.slice(0, from);
        break;
      case 1:
        html = html.slice(0, from) + html.slice(to);
        break;
      case 2: {
        const other = random.pick(pages);
        html = html.slice(0, from) + other.slice(random.integer(0, other.length));
        break;
      }
      case 3:
        html = flip(random, html);
        break;
      case 4:
        html = html.slice(0, from) + html.slice(from, to).repeat(random.integer(2, 6)) + html.slice(to);
        break;
      case 5:
        html = html.slice(0, from) + random.pick(SCRAPS).repeat(random.integer(1, 50)) + html.slice(from);
        break;
      case 6:
        html =
          html.slice(0, from) +
          random.pick(["<div>", "<b>", "<ul><li>", "<blockquote>"]).repeat(300) +
          html.slice(from);
        break;
      default:
        html = html.replaceAll(random.pick(["</p>", "</div>", '"', ">", "</a>", "="]), random.pick(["", " ", "<"]));
    }
    html = html.slice(0, MAX_PAGE_CHARS);
  }
  return html;
}

/** Some characters become others, as bytes do on a bad line. */
function flip(random: Random, html: string): string {
  const units = html.split("");
  for (let count = random.integer(1, 60); count > 0; count -= 1) {
    const at = random.integer(0, Math.max(0, units.length - 1));
    const code = (units[at] ?? "").charCodeAt(0);
    units[at] = String.fromCharCode((Number.isNaN(code) ? 0 : code) ^ (1 << random.integer(0, 15)));
  }
  return units.join("");
}

const FILE_TYPES = [
  "application/pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/epub+zip",
  "text/plain",
  "text/markdown",
  "text/html",
  "application/octet-stream",
] as const;

async function tryFile(random: Random): Promise<string | undefined> {
  const bytes = makeFile(random);
  for (let count = random.integer(0, 12); count > 0; count -= 1) {
    const at = random.integer(0, bytes.length - 1);
    bytes[at] = random.integer(0, 255);
  }
  const mediaType = random.pick(FILE_TYPES);
  const cut = random.chance(0.3) ? bytes.subarray(0, random.integer(0, bytes.length)) : bytes;
  const begin = performance.now();
  try {
    const outcome = await extractPage({ url: "https://example.org/file", mediaType, bytes: cut, pdfTimeoutMs: 5_000 });
    if (outcome.kind === "failed" && outcome.message === "") return `${mediaType}: failed without a word`;
  } catch (error) {
    return `${mediaType}: threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const milliseconds = performance.now() - begin;
  return milliseconds > MAX_PAGE_MS ? `${mediaType}: took ${Math.round(milliseconds)} ms` : undefined;
}

const SLIDE = "<p:sld><p:txBody><a:p><a:r><a:t>A line on a slide</a:t></a:r></a:p></p:txBody></p:sld>";
const CHAPTER = "<html><body><h1>One</h1><p>A chapter of some words, to be read to the end.</p></body></html>";

function makeFile(random: Random): Uint8Array {
  switch (random.integer(0, 3)) {
    case 0:
      return zipSync({
        "[Content_Types].xml": strToU8("<Types/>"),
        "word/document.xml": strToU8(
          "<w:document><w:body><w:p><w:r><w:t>Words</w:t></w:r></w:p></w:body></w:document>",
        ),
      });
    case 1:
      return zipSync({ "ppt/slides/slide1.xml": strToU8(SLIDE), "ppt/presentation.xml": strToU8("<p:presentation/>") });
    case 2:
      return zipSync({
        "META-INF/container.xml": strToU8('<container><rootfile full-path="a.opf"/></container>'),
        "a.opf": strToU8(
          '<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
        ),
        "c.xhtml": strToU8(CHAPTER),
      });
    default:
      return strToU8(
        `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n${CHAPTER}`,
      );
  }
}
