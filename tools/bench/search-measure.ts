import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, Index, MatchQuery } from "@lancedb/lancedb";
import { sleep } from "@quarry/base";
import MiniSearch from "minisearch";
import type { ServerProcess } from "../server-process.ts";
import { readProcessTree } from "./process-tree.ts";
import type { BenchPage, Corpus } from "./search-corpora.ts";

/** p50 and p95 of the design, in milliseconds: of one search at a time, on two cores that have nothing else to do. */
export const PROMISES = {
  keyword: [5, 20],
  fast: [15, 50],
  neural: [15, 50],
  auto: [60, 200],
  deep: [500, 1_500],
} as const;
export const KEYWORD_PER_SECOND = 250;
/** Asked before each measurement. */
export const WARM_UP_REQUESTS = 20;
export const LOADING_CLIENTS = 4;
const BATCH_PAGES = 200;
/** Vectors are given, so that they need only be written; so long they are waited for. */
const VECTOR_WAIT_MS = 600_000;

/** Loads all pages and waits until words find the last; returns how many that were a second. */
export async function loadPages(server: ServerProcess, pages: readonly BenchPage[]): Promise<number> {
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

/** What the server says of its index. */
export async function readIndex(server: ServerProcess): Promise<IndexState> {
  const { body } = await server.call("GET", "/quarry/v1/index");
  return body as IndexState;
}

interface IndexState {
  readonly outbox: number;
  readonly vectorOutbox: number;
  /** Null for who does not run the server. */
  readonly searchIndex: { readonly unindexedPages: number } | null;
}

/** Until every page has its vectors, or the wait is over; what has none by then is found by words. */
export async function waitForVectors(server: ServerProcess, progress: (line: string) => void): Promise<void> {
  for (const end = performance.now() + VECTOR_WAIT_MS; performance.now() < end;) {
    const { vectorOutbox } = await readIndex(server);
    if (vectorOutbox === 0) break;
    progress(`search: waiting for the vectors of ${vectorOutbox} pages`);
    await sleep(1_000);
  }
  while ((await server.call("POST", "/search", { query: "method", type: "neural" })).status !== 200) await sleep(500);
}

/** How long requests took, and what they used. */
export interface Measured {
  readonly times: readonly number[];
  readonly perSecond: number;
  /** Of the server, its database and its indexer, for one request: hardly more on a busy machine than on a quiet one. */
  readonly cpuMs: number;
}

interface MeasureOptions {
  readonly type: string;
  readonly clients: number;
  /** How many of the queries are not measured. */
  readonly warmUp?: number;
}

/** Asks queries after some to warm up, by so many clients at once. */
export async function measureType(
  server: ServerProcess,
  queries: readonly string[],
  { type, clients, warmUp = WARM_UP_REQUESTS }: MeasureOptions,
): Promise<Measured> {
  const ask = async (query: string): Promise<void> => {
    const { status } = await server.call("POST", "/search", { query, type, numResults: 10 });
    if (status !== 200) throw new Error(`${type} was answered ${status}`);
  };
  for (const query of queries.slice(0, warmUp)) await ask(query);
  const times: number[] = [];
  let next = warmUp;
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

/** One table, one index by words, asked in process: what one would have without us. */
export async function measureBare({ pages, queries }: Pick<Corpus, "pages" | "queries">): Promise<Measured> {
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
    return toMeasured(times, process.cpuUsage(cpuBefore));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A library that has all in memory. */
export function measureMiniSearch({ pages, queries }: Pick<Corpus, "pages" | "queries">): Measured {
  const index = new MiniSearch<BenchPage>({ idField: "url", fields: ["title", "text"] });
  index.addAll([...new Map(pages.map((page) => [page.url, page])).values()]);
  const cpuBefore = process.cpuUsage();
  const times = queries.map((query) => {
    const start = performance.now();
    index.search(query).slice(0, 10);
    return performance.now() - start;
  });
  return toMeasured(times, process.cpuUsage(cpuBefore));
}

function toMeasured(times: readonly number[], { user, system }: NodeJS.CpuUsage): Measured {
  const sum = times.reduce((all, time) => all + time, 0);
  return { times, perSecond: (times.length * 1_000) / sum, cpuMs: (user + system) / 1_000 / times.length };
}

/** The middle of them, and what one in twenty is above. */
export function percentiles(times: readonly number[]): [number, number] {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [at(0.5), at(0.95)];
}
