import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { sleep } from "@quarry/base";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import { findIndexerProcess } from "../soak/find-indexer-process.ts";
import { makeGeneratedPage, makeGeneratedQueries } from "./generated-pages.ts";
import { percentiles, sizeOf, type Figures } from "./index-measure.ts";
import { readProcessTree } from "./process-tree.ts";
import { searchBeside } from "./search-beside.ts";

const CLIENTS = 4;
const DOCUMENTS_A_REQUEST = 200;
const SETTINGS = { QUARRY_SAMPLE: "0", QUARRY_LOG_LEVEL: "error" };
/** Old tables stay for two minutes, for readers that still have them open, and are looked for once a minute. */
const AT_REST_MS = 190_000;
const SEARCHED_AT_REST_MS = 15_000;
/** One that pages are written to, a large one, and perhaps a small one. */
const TABLES_AT_REST = 3;
const MERGE_WAIT_MS = 120_000;
/** So many more are loaded while people search. */
const SEARCHED_SHARE = 0.15;

/** The whole server: pages by HTTP until search finds them by words, vectors behind, and a start with all of them. */
export async function runServer(count: number, progress: (line: string) => void): Promise<Figures> {
  return withDataDirectory(async (directory) => {
    const loaded = await withServer(directory, async (server) => ({
      ...(await measureLoad(server, directory, count, progress)),
      ...(await measureSearchesBeside(server, count, progress)),
      ...(await measureVectors(server, progress)),
      "index disk KB/page": pageKilobytes(directory, count + Math.ceil(count * SEARCHED_SHARE)),
      ...(await measureSearchesAtRest(server, progress)),
    }));
    progress("index: server, starting again");
    const started = await withServer(directory, measureStart);
    return {
      ...loaded,
      ...started,
      "files in the index": readdirSync(path.join(directory, "index"), { recursive: true }).length,
    };
  });
}

/** Kills it in the end, so that a part that fails leaves none running; what was acknowledged outlives that. */
async function withServer<T>(directory: string, work: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await startServerProcess(directory, SETTINGS);
  try {
    return await work(server);
  } finally {
    await server.kill();
  }
}

async function measureLoad(
  server: ServerProcess,
  directory: string,
  count: number,
  progress: (line: string) => void,
): Promise<Figures> {
  progress("index: server, loading by HTTP");
  const cpu = readProcessTree(server.pid).cpuSeconds;
  const began = performance.now();
  await load(server, generatedDocuments(count));
  const acknowledgedSeconds = (performance.now() - began) / 1_000;
  await waitForWords(server);
  return {
    "acknowledged docs/s": count / acknowledgedSeconds,
    "HTTP to words docs/s": count / ((performance.now() - began) / 1_000),
    "HTTP to words CPU ms/doc": ((readProcessTree(server.pid).cpuSeconds - cpu) * 1_000) / count,
    "index disk KB/page right after the load": pageKilobytes(directory, count),
  };
}

/** While people search a load gives way to them, so that its speed alone is measured before. */
async function measureSearchesBeside(
  server: ServerProcess,
  count: number,
  progress: (line: string) => void,
): Promise<Figures> {
  progress("index: server, searching while more is loaded");
  const more = Math.ceil(count * SEARCHED_SHARE);
  const began = performance.now();
  const searches = await searchBeside(server, makeGeneratedQueries(100), async () => {
    await load(server, generatedDocuments(more, count));
    await waitForWords(server);
  });
  return {
    "docs/s while searched": more / ((performance.now() - began) / 1_000),
    ...percentiles("keyword by HTTP while loading", searches),
    "server resident MB": readProcessTree(server.pid).residentMegabytes,
  };
}

/** What those beside a load are compared with: vectors are still being made. */
async function measureSearchesAtRest(server: ServerProcess, progress: (line: string) => void): Promise<Figures> {
  progress("index: server, searching at rest");
  const searches = await searchBeside(server, makeGeneratedQueries(100), () => sleep(SEARCHED_AT_REST_MS));
  return percentiles("keyword by HTTP at rest", searches);
}

async function measureVectors(server: ServerProcess, progress: (line: string) => void): Promise<Figures> {
  progress("index: server, vectors");
  await waitForMerge(server);
  const indexer = findIndexerProcess(server.pid);
  if (indexer === undefined) return {};
  const [before, cpuBefore] = [await embeddedPassages(server), readProcessTree(indexer).cpuSeconds];
  await sleep(AT_REST_MS);
  const passages = (await embeddedPassages(server)) - before;
  return { "passages per CPU second": passages / (readProcessTree(indexer).cpuSeconds - cpuBefore) };
}

async function measureStart(server: ServerProcess): Promise<Figures> {
  const began = performance.now() - server.readyMs;
  const [query = ""] = makeGeneratedQueries(1);
  while (!(await search(server, query))) await sleep(20);
  const wordsMs = performance.now() - began;
  while (!(await search(server, query, "neural"))) await sleep(20);
  return {
    "ready again ms": server.readyMs,
    "words after start ms": wordsMs,
    "vectors after start ms": performance.now() - began,
  };
}

/** Until the index has put its tables in order, so that what vectors cost is measured alone. */
async function waitForMerge(server: ServerProcess): Promise<void> {
  for (const end = performance.now() + MERGE_WAIT_MS; performance.now() < end;) {
    const { body } = await server.call("GET", "/quarry/v1/index");
    const { searchIndex } = body as { readonly searchIndex: { readonly pageTables: number } | null };
    if (searchIndex !== null && searchIndex.pageTables <= TABLES_AT_REST) return;
    await sleep(500);
  }
}

/** A document as it is sent. */
interface GivenDocument {
  readonly url: string;
  readonly title: string | null;
  readonly text: string;
  readonly publishedDate?: string | undefined;
}

/** So many of a list, made when it is their turn. */
interface DocumentList {
  readonly count: number;
  readonly at: (number: number) => GivenDocument;
}

function generatedDocuments(count: number, first = 0): DocumentList {
  return {
    count,
    at: (number) => {
      const { url, title, text, publishedAt } = makeGeneratedPage(first + number);
      return { url, title, text, publishedDate: publishedAt?.toISOString() };
    },
  };
}

/** The records of the ACL anthology, where they are at hand: real abstracts, 45,787 at full size. */
export async function runServerOnRecords(size: number, progress: (line: string) => void): Promise<Figures> {
  const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
  const file = path.join(dataDir, "acl-anthology", "acl-2016-2026.jsonl.gz");
  if (!existsSync(file)) {
    progress(`index: skipped the records: not in ${dataDir}`);
    return {};
  }
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
  const records = lines
    .slice(0, Math.max(1, Math.round(lines.length * Math.min(1, size))))
    .map((line) => JSON.parse(line) as { readonly id: string; readonly title: string; readonly abstract: string });
  return withDataDirectory((directory) =>
    withServer(directory, async (server) => {
      progress(`index: server, ${records.length} records by HTTP`);
      const cpu = readProcessTree(server.pid).cpuSeconds;
      const began = performance.now();
      const at = (number: number): GivenDocument => {
        const { id = "", title = "", abstract = "" } = records[number] ?? {};
        return { url: `https://aclanthology.example/${id}`, title, text: `${title}\n\n${abstract}` };
      };
      await load(server, { count: records.length, at });
      await waitForWords(server);
      const seconds = (performance.now() - began) / 1_000;
      return {
        "records to words docs/s": records.length / seconds,
        "records to words CPU ms/doc": ((readProcessTree(server.pid).cpuSeconds - cpu) * 1_000) / records.length,
        "records index disk KB/page": pageKilobytes(directory, records.length),
      };
    }),
  );
}

function pageKilobytes(directory: string, pages: number): number {
  return sizeOf(path.join(directory, "index")) / 1_024 / pages;
}

async function load(server: ServerProcess, { count, at }: DocumentList): Promise<void> {
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const start = next;
      next += DOCUMENTS_A_REQUEST;
      const length = Math.min(DOCUMENTS_A_REQUEST, count - start);
      const documents = Array.from({ length }, (_, place) => at(start + place));
      const { status, body } = await server.call("POST", "/quarry/v1/documents", documents);
      if (status !== 200) throw new Error(`a batch was answered with ${status}: ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function search(server: ServerProcess, query: string, type = "keyword"): Promise<boolean> {
  return (await server.call("POST", "/search", { query, type, numResults: 10 })).status === 200;
}

async function waitForWords(server: ServerProcess): Promise<void> {
  while ((await readIndex(server)).outbox > 0) await sleep(50);
}

async function readIndex(server: ServerProcess): Promise<{ readonly outbox: number }> {
  return (await server.call("GET", "/quarry/v1/index")).body as { readonly outbox: number };
}

async function embeddedPassages(server: ServerProcess): Promise<number> {
  const { components } = (await server.call("GET", "/quarry/v1/health")).body as {
    readonly components: readonly { readonly name: string; readonly figures?: Readonly<Record<string, number>> }[];
  };
  return components.find(({ name }) => name === "index")?.figures?.["passagesEmbedded"] ?? 0;
}
