import { extractHtml } from "@quarry/extract";
import type { Evaluation } from "./evaluation.ts";
import { extractWithReadability, type Extraction } from "./extract-baseline.ts";
import { compareMarkdown } from "./extract-markdown.ts";
import {
  countShingles,
  mean,
  quantile,
  scoreShingles,
  scoreWords,
  toWords,
  type Scores,
  type ShingleCounts,
} from "./extract-scores.ts";
import { readExtractSet, type ExtractSetName, type JudgedPage } from "./extract-sets.ts";
import { compareStructuredData } from "./extract-structured.ts";
import { timeInTurns, type TimedResult, type Timing } from "./extract-timing.ts";
import type { Table } from "./print-table.ts";

/** One page as one extractor did it. */
interface PageResult extends Timing {
  readonly page: JudgedPage;
  readonly extraction: Extraction;
  readonly shingles: ShingleCounts;
  readonly words: Scores;
}

const SETS: readonly ExtractSetName[] = ["article-extraction-benchmark", "wcxb-dev"];
const OURS = { quarry: extractOurs };
const BASELINE = { readability: ({ html }: JudgedPage): Extraction => extractWithReadability(html) };

/** How well main text and metadata are extracted, per page type, beside Mozilla's Readability on the same pages. */
export const extractEvaluation: Evaluation = {
  name: "extract",
  run: ({ dataDir, sample, withBaseline, progress }) => {
    const tables: Table[] = [];
    const figures: Record<string, unknown> = {};
    const skipped: string[] = [];
    const times: Record<string, PageResult[]> = { quarry: [], readability: [] };
    for (const name of SETS) {
      const all = readExtractSet(dataDir, name);
      if (all === undefined) {
        skipped.push(name);
        continue;
      }
      const step = sample === undefined ? 1 : Math.max(1, Math.floor(all.length / sample));
      const pages = all.filter((_, index) => index % step === 0);
      progress(`${name}: ${pages.length} pages`);
      const timed = timeInTurns<JudgedPage, Extraction>(pages, withBaseline ? { ...OURS, ...BASELINE } : OURS);
      const runs = Object.fromEntries(
        Object.entries(timed).map(([system, results]) => [system, results.map(toPageResult)]),
      );
      for (const [system, results] of Object.entries(runs)) {
        times[system]?.push(...results);
      }
      const table = name === "wcxb-dev" ? compareWords(runs) : compareShingles(runs);
      tables.push(table);
      figures[name] = table;
      if (name === "wcxb-dev") {
        const metadata = compareMetadata(runs);
        tables.push(metadata);
        figures["metadata"] = metadata;
      }
    }
    for (const [name, compare] of [
      ["extruct-samples", compareStructuredData],
      ["defuddle-fixtures", compareMarkdown],
    ] as const) {
      progress(name);
      const table = compare(dataDir);
      if (table === undefined) skipped.push(name);
      else {
        tables.push(table);
        figures[name] = table;
      }
    }
    const speed = compareSpeed(times);
    tables.push(speed);
    return Promise.resolve({ tables, figures: { ...figures, speed }, skipped });
  },
};

function extractOurs({ url, html }: JudgedPage): Extraction {
  const { text, title, author, publishedDate } = extractHtml({ url, html });
  return { text, title, author, publishedDate };
}

function toPageResult({ page, result, ...timing }: TimedResult<JudgedPage, Extraction>): PageResult {
  return {
    ...timing,
    page,
    extraction: result,
    shingles: countShingles(page.mainText, result.text),
    words: scoreWords(page.mainText, result.text),
  };
}

function compareShingles(runs: Readonly<Record<string, readonly PageResult[]>>): Table {
  const rows = Object.entries(runs).flatMap(([system, results]) =>
    byPart(results).map(([part, chosen]) => {
      const { precision, recall, f1 } = scoreShingles(chosen.map(({ shingles }) => shingles));
      const exact = mean(
        chosen.map(({ page, extraction }) =>
          Number(toWords(page.mainText).join(" ") === toWords(extraction.text).join(" ")),
        ),
      );
      return [`${system}, ${part}`, chosen.length, f1, precision, recall, exact];
    }),
  );
  return {
    title: "article-extraction-benchmark: four-word shingles",
    columns: ["system, part", "pages", "F1", "precision", "recall", "exact"],
    rows,
  };
}

function compareWords(runs: Readonly<Record<string, readonly PageResult[]>>): Table {
  const types = [...new Set(Object.values(runs).flatMap((results) => results.map(({ page }) => page.pageType)))].sort();
  const rows = Object.entries(runs).flatMap(([system, results]) =>
    byPart(results).map(([part, chosen]) => [
      `${system}, ${part}`,
      chosen.length,
      mean(chosen.map(({ words }) => words.f1)),
      ...types.map((type) => mean(chosen.filter(({ page }) => page.pageType === type).map(({ words }) => words.f1))),
      mean(chosen.flatMap(({ page, extraction }) => page.present.map((text) => Number(holds(extraction.text, text))))),
      mean(chosen.flatMap(({ page, extraction }) => page.absent.map((text) => Number(holds(extraction.text, text))))),
    ]),
  );
  return {
    title: "wcxb-dev: word F1, mean over pages, and per page type",
    columns: ["system, part", "pages", "all", ...types, "with", "without"],
    rows,
  };
}

function compareMetadata(runs: Readonly<Record<string, readonly PageResult[]>>): Table {
  const rows = Object.entries(runs).flatMap(([system, results]) =>
    byPart(results).map(([part, chosen]) => {
      const rate = (right: (result: PageResult) => boolean, among: (result: PageResult) => boolean): number =>
        mean(chosen.filter(among).map((result) => Number(right(result))));
      const titleRight = ({ page, extraction }: PageResult): boolean => plain(page.title) === plain(extraction.title);
      const titleFolded = ({ page, extraction }: PageResult): boolean =>
        foldMarks(page.title) === foldMarks(extraction.title);
      const titleAlike = ({ page, extraction }: PageResult): boolean =>
        letters(page.title) === letters(extraction.title);
      const dateRight = ({ page, extraction }: PageResult): boolean =>
        (page.publishedDate ?? "").slice(0, 10) === (extraction.publishedDate ?? "").slice(0, 10);
      const authorRight = ({ page, extraction }: PageResult): boolean =>
        plain(page.author).toLowerCase() ===
        plain(extraction.author)
          .toLowerCase()
          .replace(/^by\s+/, "");
      return [
        `${system}, ${part}`,
        rate(titleRight, ({ page }) => page.title !== undefined),
        rate(titleFolded, ({ page }) => page.title !== undefined),
        rate(titleAlike, ({ page }) => page.title !== undefined),
        rate(dateRight, ({ page }) => page.publishedDate !== undefined),
        rate(dateRight, () => true),
        rate(authorRight, ({ page }) => page.author !== undefined),
        rate(authorRight, () => true),
      ];
    }),
  );
  return {
    title: "wcxb-dev: metadata, exact; on pages that have it, and on all pages (where none must be found too)",
    columns: [
      "system, part",
      "title",
      "title, marks folded",
      "title, letters",
      "date",
      "date, all",
      "author",
      "author, all",
    ],
    rows,
  };
}

function compareSpeed(times: Readonly<Record<string, readonly PageResult[]>>): Table {
  const measured = Object.entries(times).filter(([, results]) => results.length > 0);
  const ours = mean((times["quarry"] ?? []).map(({ processorMilliseconds }) => processorMilliseconds));
  return {
    title: "speed: milliseconds a page, one thread; the last column compares processor time",
    columns: ["system", "pages", "median", "p99", "mean", "processor", "times ours"],
    rows: measured.map(([system, results]) => {
      const values = results.map(({ milliseconds }) => milliseconds);
      const cpu = mean(results.map(({ processorMilliseconds }) => processorMilliseconds));
      return [
        system,
        values.length,
        quantile(values, 0.5),
        quantile(values, 0.99),
        mean(values),
        cpu,
        cpu / Math.max(0.001, ours),
      ];
    }),
  };
}

function byPart(results: readonly PageResult[]): readonly (readonly [string, readonly PageResult[]])[] {
  return [
    ["all", results],
    ["dev", results.filter(({ page }) => page.part === "dev")],
    ["held-out", results.filter(({ page }) => page.part === "held-out")],
  ];
}

/** White space as single blanks: all else of a text must be the same letter for letter. */
export function plain(text: string | undefined): string {
  return (text ?? "").replace(/[\s\u00a0]+/g, " ").trim();
}

/** Curly quotes as straight ones and dashes as hyphens: the labels write most of them so, whatever the page has. */
function foldMarks(text: string | undefined): string {
  return plain(text)
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2010-\u2015]/g, "-")
    .replace(/\u2026/g, "...");
}

/** Letters and digits only, in lower case: titles that differ in quotes, dashes or case alone are alike. */
function letters(text: string | undefined): string {
  return (text ?? "").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function holds(text: string, snippet: string): boolean {
  return plain(text).toLowerCase().includes(plain(snippet).toLowerCase());
}
