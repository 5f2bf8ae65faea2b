import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describeData } from "@quarry/crawl/testing";
import { extractHtml } from "@quarry/extract";
import { verifies } from "@quarry/tests";
import { afterAll, describe, expect, it } from "vitest";
import { readExtractSet } from "./extract-sets.ts";
import { extractEvaluation, plain } from "./extract.ts";

const TYPES = ["article", "documentation", "forum", "listing", "product", "service", "collection"];
const FIXTURES = [
  "article-news",
  "documentation-api",
  "forum-thread",
  "listing-walks",
  "product-kettle",
  "service-repair",
  "collection-shirts",
];

const dataDir = mkdtempSync(path.join(tmpdir(), "quarry-eval-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** A judged set of our own fixtures, judged by what we make of them, in the form of the real one. */
function makeSet(): void {
  const folder = path.join(dataDir, "wcxb-dev");
  mkdirSync(path.join(folder, "html"), { recursive: true });
  const rows = FIXTURES.map((slug, index) => {
    const read = (file: string): string => readFileSync(path.join("packages/extract/fixtures", slug, file), "utf8");
    writeFileSync(path.join(folder, "html", `${slug}.html.gz`), gzipSync(read("source.html")));
    const { title } = JSON.parse(read("expected.json")) as { readonly title?: string };
    return {
      file_id: slug,
      url: "https://fixture.example/a/page",
      page_type: TYPES[index],
      main_content: read("expected.md"),
      title,
    };
  });
  writeFileSync(
    path.join(folder, "ground-truth.jsonl.gz"),
    gzipSync(rows.map((row) => JSON.stringify(row)).join("\n")),
  );
}

describe("the evaluation of extraction", () => {
  verifies(
    "extract:quality:reported-per-type",
    "reports each page type beside Readability on the same pages",
    async () => {
      makeSet();
      const { tables, skipped } = await extractEvaluation.run({
        dataDir,
        sample: undefined,
        withBaseline: true,
        progress: () => undefined,
      });
      expect(skipped).toEqual(["article-extraction-benchmark", "extruct-samples", "defuddle-fixtures"]);
      const words = tables.find(({ title }) => title.startsWith("wcxb-dev: word F1"));
      expect(words?.columns).toEqual(["system, part", "pages", "all", ...[...TYPES].sort(), "with", "without"]);
      const all = (words?.rows ?? []).filter(([name]) => String(name).endsWith(", all"));
      expect(all.map(([name, pages]) => [name, pages])).toEqual([
        ["quarry, all", TYPES.length],
        ["readability, all", TYPES.length],
      ]);
      for (const value of all[0]?.slice(2, 2 + 1 + TYPES.length) ?? []) expect(value).toBeGreaterThan(0.85);
      const metadata = tables.find(({ title }) => title.startsWith("wcxb-dev: metadata"));
      expect(metadata?.rows[0]?.slice(0, 2)).toEqual(["quarry, all", 1]);
    },
  );

  it("skips every set that is not there, by name", async () => {
    const run = { dataDir: path.join(dataDir, "none"), sample: 5, withBaseline: false, progress: () => undefined };
    expect((await extractEvaluation.run(run)).skipped).toEqual([
      "article-extraction-benchmark",
      "wcxb-dev",
      "extruct-samples",
      "defuddle-fixtures",
    ]);
  });
});

/** Every so many pages of the judged sets; the whole of them is `npm run eval -- --only extract`. */
const SAMPLE = 20;
const TIME_LIMIT_MS = 300_000; // some ten seconds on a machine that does nothing else

describeData("wcxb-dev", (folder) => {
  verifies(
    [
      "extract:quality:article-benchmark",
      "extract:quality:wcxb",
      "extract:quality:date-above-readability",
      "extract:quality:author-above-readability",
    ],
    "a fixed part of the judged pages is read as well as promised, and better than by Readability",
    async () => {
      const sets = path.join(dataDir, "judged");
      mkdirSync(sets);
      for (const name of ["wcxb-dev", "article-extraction-benchmark"])
        symlinkSync(path.resolve(folder, "..", name), path.join(sets, name), "dir");
      const run = { dataDir: sets, sample: SAMPLE, withBaseline: true, progress: () => undefined };
      const { tables } = await extractEvaluation.run(run);
      const figure = (title: string, row: string, column: string): number => {
        const table = tables.find((one) => one.title.startsWith(title));
        const place = table?.columns.indexOf(column) ?? -1;
        return Number(table?.rows.find(([name]) => name === row)?.[place]);
      };
      expect(figure("article-extraction-benchmark", "quarry, all", "F1")).toBeGreaterThanOrEqual(0.965);
      expect(figure("wcxb-dev: word F1", "quarry, all", "all")).toBeGreaterThanOrEqual(0.78);
      for (const column of ["date", "author"]) {
        const theirs = figure("wcxb-dev: metadata", "readability, all", column);
        expect(figure("wcxb-dev: metadata", "quarry, all", column)).toBeGreaterThanOrEqual(theirs + 0.1);
      }
    },
    TIME_LIMIT_MS,
  );

  verifies(
    "extract:quality:title-exact",
    "titles of the judged pages are right letter for letter as often as promised",
    () => {
      const pages = (readExtractSet(path.dirname(folder), "wcxb-dev") ?? []).filter(({ title }) => title !== undefined);
      const right = pages.filter(({ url, html, title }) => plain(extractHtml({ url, html }).title) === plain(title));
      expect(pages).toHaveLength(295);
      expect(right.length / pages.length).toBeGreaterThanOrEqual(0.85);
    },
    TIME_LIMIT_MS,
  );
});
