import { extractHtml } from "@quarry/extract";
import { extractWithReadability } from "../eval/extract-baseline.ts";
import { countShingles, quantile, scoreShingles } from "../eval/extract-scores.ts";
import { readExtractSet, type JudgedPage } from "../eval/extract-sets.ts";
import { makeCollector, timeOf } from "../eval/extract-timing.ts";

/** What a system takes on the processor: for all pages together, for the one in the middle, and for the slowest. */
export interface Taken {
  readonly totalMs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** What the program prints: times on some judged pages, and the F1 on all of the article benchmark. */
export interface ExtractPromise {
  readonly pages: number;
  readonly ours: Taken;
  readonly theirs: Taken;
  readonly articles: number;
  readonly f1: number;
}

/** Both systems have run for at least as long before they are timed. */
const WARM_UP_MS = 700;
/** On a busy machine a page may take longer than it does: the least of so many times counts. */
const TURNS = 2;

/**
 * A program of its own, bundled as the server is: `node extract-speed.mjs DATA EVERY` takes every so many judged pages.
 * Nothing else runs in its process, so that its processor time is that of extraction.
 */
const [dataDir = "", every = "1"] = process.argv.slice(2);
const articles = readExtractSet(dataDir, "article-extraction-benchmark") ?? [];
const pages = [...articles, ...(readExtractSet(dataDir, "wcxb-dev") ?? [])];
const shingles = articles.map(({ url, html, mainText }) => countShingles(mainText, extractHtml({ url, html }).text));
const chosen = pages.filter((_, index) => index % Number(every) === 0);
const promise: ExtractPromise = {
  pages: chosen.length,
  ...timeBoth(chosen),
  articles: articles.length,
  f1: scoreShingles(shingles).f1,
};
process.stdout.write(JSON.stringify(promise));

function timeBoth(judged: readonly JudgedPage[]): { readonly ours: Taken; readonly theirs: Taken } {
  const systems = [
    ({ url, html }: JudgedPage): unknown => extractHtml({ url, html }),
    ({ html }: JudgedPage): unknown => extractWithReadability(html),
  ].map((run) => ({ run, least: judged.map(() => Infinity) }));
  for (const { run } of systems)
    for (let spent = 0, next = 0; spent < WARM_UP_MS; next = (next + 1) % judged.length) {
      const page = judged[next];
      if (page === undefined) break;
      spent += timeOf(() => run(page)).processorMilliseconds;
    }
  const collectGarbage = makeCollector();
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const { run, least } of systems) {
      collectGarbage();
      judged.forEach((page, index) => {
        least[index] = Math.min(least[index] ?? Infinity, timeOf(() => run(page)).processorMilliseconds);
      });
    }
  const [ours, theirs] = systems.map(({ least }) => ({
    totalMs: least.reduce((sum, time) => sum + time, 0),
    medianMs: quantile(least, 0.5),
    p99Ms: quantile(least, 0.99),
  }));
  if (ours === undefined || theirs === undefined) throw new Error("there are two systems");
  return { ours, theirs };
}
