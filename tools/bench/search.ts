import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startServerProcess, withDataDirectory } from "../server-process.ts";
import type { Benchmark } from "./benchmark.ts";
import { waitForRest } from "./index-rest.ts";
import { readCorpora, type Corpus } from "./search-corpora.ts";
import {
  KEYWORD_PER_SECOND,
  LOADING_CLIENTS,
  loadPages,
  measureBare,
  measureMiniSearch,
  measureType,
  percentiles,
  PROMISES,
  waitForVectors,
  WARM_UP_REQUESTS,
  type Measured,
} from "./search-measure.ts";
import { importMadeUpVectors } from "./search-vectors.ts";

const CLIENTS = [1, 16] as const;
/** Each measurement asks its own, so that none is answered from the memory of another. */
const QUERIES = 200;
const DEEP_QUERIES = 40;
/** It takes as long for one as we take for all. */
const MINISEARCH_QUERIES = 50;
/** Enough for every measurement. */
const ALL_QUERIES = 2 * (4 * QUERIES + DEEP_QUERIES + 5 * WARM_UP_REQUESTS);
const LOAD_PER_SECOND = 800;
/** A file in a data directory that has all pages, their vectors, and an index at rest. */
const BUILT_MARK = "bench-search-built";

/** How fast searches answer through HTTP, beside bare LanceDB and MiniSearch on the same pages in the same run. */
export const searchBenchmark: Benchmark = {
  name: "search",
  run: async ({ size, corpus: only, keep, progress }) => {
    const figures: Record<string, number> = {};
    const tables = [];
    for (const corpus of readCorpora(size, ALL_QUERIES).filter(({ name }) => only === undefined || name === only)) {
      const { pages, queries, name } = corpus;
      const measure = (directory: string): Promise<Row[]> => measureServer(directory, corpus, figures, progress);
      const kept = keep === undefined ? undefined : path.resolve(keep, `${name}-${pages.length}`);
      const rows = kept === undefined ? await withDataDirectory(measure) : await measure(kept);
      progress(`search: ${name}, bare LanceDB and MiniSearch`);
      rows.push(toRow("bare LanceDB, words", 1, await measureBare({ pages, queries: queries.slice(0, QUERIES) })));
      const few = queries.slice(0, MINISEARCH_QUERIES);
      rows.push(toRow("MiniSearch, words", 1, measureMiniSearch({ pages, queries: few })));
      for (const [what, clients, p50, , p95, , , , cpu] of rows) {
        figures[`${name} ${String(what)} ${String(clients)} p50 ms`] = Number(p50);
        figures[`${name} ${String(what)} ${String(clients)} p95 ms`] = Number(p95);
        figures[`${name} ${String(what)} ${String(clients)} processor ms`] = Number(cpu);
      }
      rows.push(...loadRows(corpus, figures));
      tables.push({
        title: `Search on ${pages.length} pages of ${name}, milliseconds`,
        columns: ["", "clients", "p50", "target", "p95", "target", "per second", "target", "processor"],
        rows,
      });
    }
    return { tables, figures };
  },
};

type Row = (string | number)[];

/** How loading went; nothing where the pages were there from a run before. */
function loadRows(corpus: Corpus, figures: Readonly<Record<string, number>>): Row[] {
  const load = figures[`${corpus.name} load pages/s`];
  if (load === undefined) return [];
  const rest = figures[`${corpus.name} at rest after s`] ?? "";
  return [
    ["load by words, pages/s", LOADING_CLIENTS, "", "", "", "", load, atLeast(LOAD_PER_SECOND, load), ""],
    ["index at rest by itself, s", "", rest, "", "", "", "", "", ""],
  ];
}

async function measureServer(
  directory: string,
  corpus: Corpus,
  figures: Record<string, number>,
  progress: (line: string) => void,
): Promise<Row[]> {
  const built = path.join(directory, BUILT_MARK);
  const isBuilt = existsSync(built);
  const server = await startServerProcess(directory);
  try {
    if (!isBuilt) {
      const passages = await importMadeUpVectors(directory, corpus.pages);
      progress(`search: loading ${corpus.pages.length} pages of ${corpus.name}, ${passages} passages`);
      figures[`${corpus.name} load pages/s`] = await loadPages(server, corpus.pages);
    }
    await waitForVectors(server, progress);
    const restAfter = await waitForRest(server);
    if (!isBuilt) figures[`${corpus.name} at rest after s`] = restAfter;
    writeFileSync(built, "");
    const rows: Row[] = [];
    let asked = 0;
    for (const [type, promise] of Object.entries(PROMISES)) {
      for (const clients of CLIENTS) {
        progress(`search: ${corpus.name}, ${type}, ${clients} clients`);
        const count = WARM_UP_REQUESTS + (type === "deep" ? DEEP_QUERIES : QUERIES);
        const queries = Array.from(
          { length: count },
          (_, place) => corpus.queries[(asked + place) % corpus.queries.length] ?? "",
        );
        asked += count;
        const measured = await measureType(server, queries, { type, clients });
        // The table of the design is for one search at a time; many at once share two cores.
        rows.push(toRow(type, clients, measured, clients === 1 ? promise : undefined));
      }
    }
    return rows;
  } finally {
    await server.stop();
  }
}

function toRow(
  name: string,
  clients: number,
  { times, perSecond, cpuMs }: Measured,
  promise?: readonly [number, number],
): Row {
  const [p50, p95] = percentiles(times);
  const [most50, most95] = promise === undefined ? ["", ""] : [atMost(promise[0], p50), atMost(promise[1], p95)];
  const rate = name === "keyword" && clients > 1 ? atLeast(KEYWORD_PER_SECOND, perSecond) : "";
  return [name, clients, p50, most50, p95, most95, perSecond, rate, cpuMs];
}

function atMost(target: number, figure: number): string {
  return `${figure <= target ? "met" : "missed"}: ${target}`;
}

function atLeast(target: number, figure: number): string {
  return `${figure >= target ? "met" : "missed"}: ${target}`;
}
