import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { connect, Index, MatchQuery } from "@lancedb/lancedb";
import { isUrl, sleep } from "@quarry/base";
import MiniSearch from "minisearch";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import type { Benchmark } from "./benchmark.ts";
import { waitForRest } from "./index-rest.ts";
import { makeGeneratedPage, makeGeneratedQueries } from "./generated-pages.ts";
import { readProcessTree } from "./process-tree.ts";
import { importMadeUpVectors } from "./search-vectors.ts";

/** A page to load and search. */
interface BenchPage {
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

interface Corpus {
  readonly name: string;
  readonly pages: readonly BenchPage[];
  readonly queries: readonly string[];
}

/** p50 and p95 of the design, in milliseconds. */
const PROMISES = { keyword: [5, 20], fast: [15, 50], neural: [15, 50], auto: [60, 200], deep: [500, 1_500] } as const;
const CLIENTS = [1, 16] as const;
const GENERATED_PAGES = 100_000;
/** Each measurement asks its own, so that none is answered from the memory of another. */
const QUERIES = 200;
const DEEP_QUERIES = 40;
const BATCH_PAGES = 200;
const WARM_UP_REQUESTS = 20;
/** Enough for every measurement. */
const ALL_QUERIES = 2 * (4 * QUERIES + DEEP_QUERIES + 5 * WARM_UP_REQUESTS);
const LOADING_CLIENTS = 4;
const KEYWORD_PER_SECOND = 250;
const LOAD_PER_SECOND = 800;
/** Vectors are given, so that they need only be written; so long they are waited for. */
const VECTOR_WAIT_MS = 600_000;
/** A file in a data directory that has all pages, their vectors, and an index at rest. */
const BUILT_MARK = "bench-search-built";

/** How fast searches answer through HTTP, beside bare LanceDB and MiniSearch on the same pages in the same run. */
export const searchBenchmark: Benchmark = {
  name: "search",
  run: async ({ size, corpus: only, keep, progress }) => {
    const figures: Record<string, number> = {};
    const tables = [];
    for (const corpus of readCorpora(size).filter(({ name }) => only === undefined || name === only)) {
      const measure = (directory: string): Promise<Row[]> => measureServer(directory, corpus, figures, progress);
      const kept = keep === undefined ? undefined : path.resolve(keep, `${corpus.name}-${corpus.pages.length}`);
      const rows = kept === undefined ? await withDataDirectory(measure) : await measure(kept);
      progress(`search: ${corpus.name}, bare LanceDB and MiniSearch`);
      rows.push(await measureBare(corpus), measureMiniSearch(corpus));
      for (const [name, clients, p50, , p95, , , , cpu] of rows) {
        figures[`${corpus.name} ${String(name)} ${String(clients)} p50 ms`] = Number(p50);
        figures[`${corpus.name} ${String(name)} ${String(clients)} p95 ms`] = Number(p95);
        figures[`${corpus.name} ${String(name)} ${String(clients)} processor ms`] = Number(cpu);
      }
      rows.push(...loadRows(corpus, figures));
      tables.push({
        title: `Search on ${corpus.pages.length} pages of ${corpus.name}, milliseconds`,
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

function readCorpora(size: number): readonly Corpus[] {
  const corpora: Corpus[] = [];
  const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
  const file = path.join(dataDir, "acl-anthology", "acl-2016-2026.jsonl.gz");
  if (existsSync(file)) {
    const lines = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
    const records = lines
      .slice(0, Math.max(1, Math.round(lines.length * size)))
      .map((line) => JSON.parse(line) as { id: string; title: string; abstract: string; url: string });
    const pages = records.map(({ id, title, abstract, url }) => ({
      url: isUrl(url) ? url : `https://aclanthology.example/${id}`,
      title,
      text: abstract,
    }));
    const step = Math.max(1, Math.floor(pages.length / ALL_QUERIES));
    const queries = pages
      .filter((_, place) => place % step === 0)
      .map(({ title }) => title.split(" ").slice(0, 6).join(" "));
    corpora.push({ name: "acl-anthology", pages, queries: queries.slice(0, ALL_QUERIES) });
  }
  const count = Math.max(1, Math.round(GENERATED_PAGES * size));
  const pages = Array.from({ length: count }, (_, number) => {
    const { url, title, text } = makeGeneratedPage(number);
    return { url, title: title ?? "", text };
  });
  corpora.push({ name: "generated", pages, queries: makeGeneratedQueries(ALL_QUERIES) });
  return corpora;
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
      figures[`${corpus.name} load pages/s`] = await load(server, corpus.pages);
    }
    await waitForVectors(server, progress);
    const restAfter = await waitForRest(server);
    if (!isBuilt) figures[`${corpus.name} at rest after s`] = restAfter;
    writeFileSync(built, "");
    const rows: Row[] = [];
    let asked = 0;
    for (const [type, [p50, p95]] of Object.entries(PROMISES)) {
      for (const clients of CLIENTS) {
        progress(`search: ${corpus.name}, ${type}, ${clients} clients`);
        const count = WARM_UP_REQUESTS + (type === "deep" ? DEEP_QUERIES : QUERIES);
        const queries = Array.from(
          { length: count },
          (_, place) => corpus.queries[(asked + place) % corpus.queries.length],
        );
        asked += count;
        const { times, perSecond, cpuMs } = await measureType(
          server,
          queries.flatMap((query) => query ?? []),
          { type, clients },
        );
        const [half, most] = percentiles(times);
        // The table of the design is for one search at a time; many at once share two cores.
        const isOne = clients === 1;
        rows.push([
          ...[type, clients, half, isOne ? atMost(p50, half) : "", most, isOne ? atMost(p95, most) : ""],
          ...[perSecond, type === "keyword" && !isOne ? atLeast(KEYWORD_PER_SECOND, perSecond) : "", cpuMs],
        ]);
      }
    }
    return rows;
  } finally {
    await server.stop();
  }
}

/** Loads all pages and waits until words find the last; returns how many that were a second. */
async function load(server: ServerProcess, pages: readonly BenchPage[]): Promise<number> {
  const began = performance.now();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < pages.length) {
      const start = next;
      next += BATCH_PAGES;
      const documents = pages.slice(start, start + BATCH_PAGES);
      const { status } = await server.call("POST", "/quarry/v1/documents", { documents });
      if (status >= 300) throw new Error(`loading was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: LOADING_CLIENTS }, client));
  while ((await readIndex(server)).outbox > 0) await sleep(50);
  return (pages.length * 1_000) / (performance.now() - began);
}

async function readIndex(server: ServerProcess): Promise<{ readonly outbox: number; readonly vectorOutbox: number }> {
  const { body } = await server.call("GET", "/quarry/v1/index");
  return body as { readonly outbox: number; readonly vectorOutbox: number };
}

/** Until every page has its vectors, or the wait is over; what has none by then is found by words. */
async function waitForVectors(server: ServerProcess, progress: (line: string) => void): Promise<void> {
  for (const end = performance.now() + VECTOR_WAIT_MS; performance.now() < end;) {
    const { vectorOutbox } = await readIndex(server);
    if (vectorOutbox === 0) break;
    progress(`search: waiting for the vectors of ${vectorOutbox} pages`);
    await sleep(5_000);
  }
  while ((await server.call("POST", "/search", { query: "method", type: "neural" })).status !== 200) await sleep(500);
}

interface Measured {
  readonly times: readonly number[];
  readonly perSecond: number;
  /** Of the server, its database and its indexer, for one request: hardly more on a busy machine than on a quiet one. */
  readonly cpuMs: number;
}

async function measureType(
  server: ServerProcess,
  queries: readonly string[],
  { type, clients }: { readonly type: string; readonly clients: number },
): Promise<Measured> {
  const ask = async (query: string): Promise<void> => {
    const { status } = await server.call("POST", "/search", { query, type, numResults: 10 });
    if (status !== 200) throw new Error(`${type} was answered ${status}`);
  };
  for (const query of queries.slice(0, WARM_UP_REQUESTS)) await ask(query);
  const times: number[] = [];
  let next = WARM_UP_REQUESTS;
  const cpuBefore = readProcessTree(server.pid).cpuSeconds;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let query = queries[next++]; query !== undefined; query = queries[next++]) {
        const start = performance.now();
        await ask(query);
        times.push(performance.now() - start);
      }
    }),
  );
  const perSecond = (times.length * 1_000) / (performance.now() - began);
  const cpuSeconds = readProcessTree(server.pid).cpuSeconds - cpuBefore;
  return { times, perSecond, cpuMs: (cpuSeconds * 1_000) / times.length };
}

function atMost(target: number, figure: number): string {
  return `${figure <= target ? "met" : "missed"}: ${target}`;
}

function atLeast(target: number, figure: number): string {
  return `${figure >= target ? "met" : "missed"}: ${target}`;
}

/** One table, one index by words, asked in process: what one would have without us. */
async function measureBare({ pages, queries: all }: Corpus): Promise<Row> {
  const queries = all.slice(0, QUERIES);
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-bench-search-"));
  try {
    const connection = await connect(directory);
    const table = await connection.createTable("pages", pages as unknown as Record<string, unknown>[]);
    await table.createIndex("text", { config: Index.fts() });
    const times: number[] = [];
    const cpuBefore = process.cpuUsage();
    for (const query of queries) {
      const start = performance.now();
      await table
        .query()
        .fullTextSearch(new MatchQuery(query, "text"))
        .select(["url", "title", "_score"])
        .limit(10)
        .toArray();
      times.push(performance.now() - start);
    }
    return bareRow("bare LanceDB, words", times, process.cpuUsage(cpuBefore));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measureMiniSearch({ pages, queries: all }: Corpus): Row {
  const queries = all.slice(0, QUERIES);
  const index = new MiniSearch<BenchPage>({ idField: "url", fields: ["title", "text"] });
  index.addAll([...new Map(pages.map((page) => [page.url, page])).values()]);
  const cpuBefore = process.cpuUsage();
  const times = queries.map((query) => {
    const start = performance.now();
    index.search(query).slice(0, 10);
    return performance.now() - start;
  });
  return bareRow("MiniSearch, words", times, process.cpuUsage(cpuBefore));
}

function bareRow(name: string, times: readonly number[], { user, system }: NodeJS.CpuUsage): Row {
  const [p50, p95] = percentiles(times);
  const cpuMs = (user + system) / 1_000 / times.length;
  return [name, 1, p50, "", p95, "", (times.length * 1_000) / sumOf(times), "", cpuMs];
}

function percentiles(times: readonly number[]): [number, number] {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [at(0.5), at(0.95)];
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
