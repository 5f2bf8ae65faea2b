import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { connect, Index, MatchQuery } from "@lancedb/lancedb";
import MiniSearch from "minisearch";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import type { Benchmark } from "./benchmark.ts";
import { makeGeneratedPage, makeGeneratedQueries } from "./generated-pages.ts";

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
const QUERIES = 200;
const BATCH_PAGES = 200;
const WARM_UP_REQUESTS = 20;
/** Vectors of all pages take an hour on one core; so long they are waited for, then the rest goes without. */
const VECTOR_WAIT_MS = 120_000;

/** How fast searches answer through HTTP, beside bare LanceDB and MiniSearch on the same pages in the same run. */
export const searchBenchmark: Benchmark = {
  name: "search",
  run: async ({ size, progress }) => {
    const figures: Record<string, number> = {};
    const tables = [];
    for (const corpus of readCorpora(size)) {
      const rows = await withDataDirectory((directory) => measureServer(directory, corpus, figures, progress));
      progress(`search: ${corpus.name}, bare LanceDB and MiniSearch`);
      rows.push(await measureBare(corpus), measureMiniSearch(corpus));
      for (const [name, , p50, p95] of rows) {
        figures[`${corpus.name} ${String(name)} p50 ms`] = Number(p50);
        figures[`${corpus.name} ${String(name)} p95 ms`] = Number(p95);
      }
      tables.push({
        title: `Search on ${corpus.pages.length} pages of ${corpus.name}, milliseconds`,
        columns: ["", "clients", "p50", "p95", "requests/s", "promise p50/p95"],
        rows,
      });
    }
    return { tables, figures };
  },
};

type Row = (string | number)[];

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
      url: URL.canParse(url) ? url : `https://aclanthology.example/${id}`,
      title,
      text: abstract,
    }));
    const step = Math.max(1, Math.floor(pages.length / QUERIES));
    const queries = pages
      .filter((_, place) => place % step === 0)
      .map(({ title }) => title.split(" ").slice(0, 6).join(" "));
    corpora.push({ name: "acl-anthology", pages, queries: queries.slice(0, QUERIES) });
  }
  const count = Math.max(1, Math.round(GENERATED_PAGES * size));
  const pages = Array.from({ length: count }, (_, number) => {
    const { url, title, text } = makeGeneratedPage(number);
    return { url, title: title ?? "", text };
  });
  corpora.push({ name: "generated", pages, queries: makeGeneratedQueries(QUERIES) });
  return corpora;
}

async function measureServer(
  directory: string,
  corpus: Corpus,
  figures: Record<string, number>,
  progress: (line: string) => void,
): Promise<Row[]> {
  const server = await startServerProcess(directory);
  try {
    progress(`search: loading ${corpus.pages.length} pages of ${corpus.name}`);
    const began = performance.now();
    for (let start = 0; start < corpus.pages.length; start += BATCH_PAGES) {
      const isLast = start + BATCH_PAGES >= corpus.pages.length;
      const documents = corpus.pages.slice(start, start + BATCH_PAGES);
      const { status } = await server.call("POST", `/quarry/v1/documents${isLast ? "?wait=true" : ""}`, { documents });
      if (status >= 300) throw new Error(`loading was answered ${status}`);
    }
    figures[`${corpus.name} load pages/s`] = (corpus.pages.length * 1_000) / (performance.now() - began);
    await waitForVectors(server, progress);
    const rows: Row[] = [];
    for (const [type, promise] of Object.entries(PROMISES)) {
      for (const clients of CLIENTS) {
        progress(`search: ${corpus.name}, ${type}, ${clients} clients`);
        rows.push([...(await measureType(server, corpus, { type, clients })), promise.join(" / ")]);
      }
    }
    return rows;
  } finally {
    await server.stop();
  }
}

/** Until a search by meaning answers, or the wait is over; what has no vector by then is found by words. */
async function waitForVectors(server: ServerProcess, progress: (line: string) => void): Promise<void> {
  progress("search: waiting for vectors");
  for (const end = performance.now() + VECTOR_WAIT_MS; performance.now() < end;) {
    const { status } = await server.call("POST", "/search", { query: "method", type: "neural" });
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function measureType(
  server: ServerProcess,
  { queries }: Corpus,
  { type, clients }: { readonly type: string; readonly clients: number },
): Promise<Row> {
  const ask = async (query: string): Promise<void> => {
    const { status } = await server.call("POST", "/search", { query, type, numResults: 10 });
    if (status !== 200) throw new Error(`${type} was answered ${status}`);
  };
  for (const query of queries.slice(0, WARM_UP_REQUESTS)) await ask(query);
  const times: number[] = [];
  let next = 0;
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
  return [type, clients, ...percentiles(times), (times.length * 1_000) / (performance.now() - began)];
}

/** One table, one index by words, asked in process: what one would have without us. */
async function measureBare({ pages, queries }: Corpus): Promise<Row> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-bench-search-"));
  try {
    const connection = await connect(directory);
    const table = await connection.createTable("pages", pages as unknown as Record<string, unknown>[]);
    await table.createIndex("text", { config: Index.fts() });
    const times: number[] = [];
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
    return ["bare LanceDB, words", 1, ...percentiles(times), (times.length * 1_000) / sumOf(times), ""];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measureMiniSearch({ pages, queries }: Corpus): Row {
  const index = new MiniSearch<BenchPage>({ idField: "url", fields: ["title", "text"] });
  index.addAll([...new Map(pages.map((page) => [page.url, page])).values()]);
  const times = queries.map((query) => {
    const start = performance.now();
    index.search(query).slice(0, 10);
    return performance.now() - start;
  });
  return ["MiniSearch, words", 1, ...percentiles(times), (times.length * 1_000) / sumOf(times), ""];
}

function percentiles(times: readonly number[]): [number, number] {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [at(0.5), at(0.95)];
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
