import { fork, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import path from "node:path";
import { connect, Index, MatchQuery, Session, type Table } from "@lancedb/lancedb";
import { sleep } from "@quarry/base";
import { openSearchIndex, type IndexFilter } from "@quarry/retrieval";
import type { Benchmark, BenchmarkResult } from "./benchmark.ts";
import {
  makeGeneratedPage,
  makeGeneratedPlace,
  makeGeneratedQueries,
  makeGeneratedVectors,
} from "./generated-pages.ts";

/** Pages at full size. */
const PAGES = 100_000;
const DIMENSIONS = 384;
const QUERIES = 200;
const VECTOR_QUERIES = 60;
const BATCH_ROWS = 200;
const MARKERS = 10;
const SEARCH_PAUSE_MS = 30;
/** Of 19: searches come first. */
const WRITER_PRIORITY = 10;
/** Minutes pass between them, by the writer's clock; the first looks, the second cleans. */
const CLEANINGS = 3;
/** Each side runs in a process of its own, so that its memory can be told. */
const PART = "QUARRY_BENCH_INDEX_PART";

/** What the search index costs beside bare LanceDB on the same generated pages, in the same run. */
export const indexBenchmark: Benchmark = {
  name: "index",
  run: async ({ size, progress }) => {
    const pages = Math.max(1_000, Math.round(PAGES * size));
    const part = process.env[PART];
    if (part !== undefined)
      return { tables: [], figures: await (part === "bare" ? runBare : runOurs)(pages, progress) };
    const ours = await runPart("ours", size, progress);
    const bare = await runPart("bare", size, progress);
    return toResult(pages, ours, bare);
  },
};

type Figures = Readonly<Record<string, number>>;

async function runPart(part: "ours" | "bare", size: number, progress: (line: string) => void): Promise<Figures> {
  const out = mkdtempSync(path.join(tmpdir(), "quarry-bench-index-"));
  try {
    const args = [process.argv[1] ?? "", "--only", "index", "--size", String(size), "--out", out];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, [PART]: part },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const code = await new Promise((resolve) => child.once("exit", resolve));
    if (code !== 0) throw new Error(`the part "${part}" ended with ${String(code)}`);
    progress(`index: ${part} done`);
    return (JSON.parse(readFileSync(path.join(out, "index.json"), "utf8")) as { figures: Figures }).figures;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function toResult(pages: number, ours: Figures, bare: Figures): BenchmarkResult {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(bare)])];
  const rows = names.map((name) => {
    const [one, other] = [ours[name], bare[name]];
    const ratio = one === undefined || other === undefined ? "" : (one / other).toFixed(2);
    return [name, show(one), show(other), ratio];
  });
  const figures = Object.fromEntries([
    ...Object.entries(ours),
    ...Object.entries(bare).map(([name, value]) => [`bare.${name}`, value] as const),
  ]);
  return {
    figures,
    tables: [{ title: `Index, ${pages} pages`, columns: ["", "ours", "bare LanceDB", "ratio"], rows }],
  };
}

function show(value: number | undefined): string {
  return value === undefined ? "" : value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3);
}

/** What the reader asks of the writer, and what it answers: seconds, and the megabytes it holds. */
type WriterTask =
  | { readonly kind: "words" | "vectors"; readonly pages: number }
  | { readonly kind: "marker"; readonly number: number }
  | { readonly kind: "optimise" | "clean" | "stop" };
interface WriterReply {
  readonly wallS: number;
  readonly cpuS: number;
  readonly residentMb: number;
  readonly pageTables: number;
}

const EMBEDDING = { model: "bench", dimensions: DIMENSIONS };
const TEAM: IndexFilter = { teamIds: ["bench", "shared"] };
const DIRECTORY = "QUARRY_BENCH_INDEX_DIRECTORY";

/** Writes in a process of its own, behind everything else, as the product does. */
async function runWriter(): Promise<Figures> {
  setPriority(WRITER_PRIORITY);
  let laterMs = 0; // old files are cleaned away by the clock
  const index = await openSearchIndex({
    url: process.env[DIRECTORY] ?? "",
    access: "write",
    embedding: EMBEDDING,
    clock: { now: () => new Date(Date.now() + laterMs) },
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  });
  const work = async (task: WriterTask): Promise<void> => {
    if (task.kind === "words") {
      await inBatches(task.pages, (numbers) => index.addPages(numbers.map(makeGeneratedPage)));
    } else if (task.kind === "vectors") {
      const vectors = makeGeneratedVectors(task.pages + VECTOR_QUERIES, DIMENSIONS);
      await inBatches(task.pages, (numbers) =>
        index.addChunks(
          numbers.map((number) => {
            const chunks = [{ number: 0, start: 0, end: 1, vector: vectors[number] ?? missing() }];
            return { ...makeGeneratedPlace(number), chunks };
          }),
        ),
      );
      await index.optimize();
    } else if (task.kind === "marker") {
      const place = makeGeneratedPage(0);
      await index.addPages([
        { ...place, url: `https://marker.example/${task.number}`, title: markerWord(task.number) },
      ]);
    } else if (task.kind === "optimise") await index.optimize({ full: true });
    else if (task.kind === "clean") {
      laterMs += 300_000;
      await index.optimize();
    }
  };
  const stopped = new Promise<void>((resolve) => {
    process.on("message", (task: WriterTask) => {
      const cost = startClock();
      void work(task).then(async () => {
        const { pageTables } = await index.stats();
        process.send?.({ ...cost(), residentMb: residentMb(), pageTables } satisfies WriterReply);
        if (task.kind === "stop") resolve();
      });
    });
  });
  process.send?.("ready");
  await stopped;
  await index.close();
  process.disconnect();
  return {};
}

async function runOurs(count: number, progress: (line: string) => void): Promise<Figures> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-bench-index-"));
  const figures: Record<string, number> = {};
  const writer = fork(process.argv[1] ?? "", ["--only", "index", "--out", directory], {
    env: { ...process.env, [PART]: "writer", [DIRECTORY]: path.join(directory, "index") },
  });
  const replies: ((reply: WriterReply) => void)[] = [];
  const ready = new Promise((resolve) => writer.once("message", resolve));
  const ask = (task: WriterTask): Promise<WriterReply> =>
    new Promise((resolve) => {
      replies.push(resolve);
      writer.send(task);
    });
  try {
    await ready;
    writer.on("message", (reply: WriterReply) => replies.shift()?.(reply));
    const open = () => openSearchIndex({ url: path.join(directory, "index"), access: "read", embedding: EMBEDDING });
    let index = await open();
    const queries = makeGeneratedQueries(QUERIES);
    const find = (text: string, filter: IndexFilter = TEAM) => index.findByWords({ text }, filter, { limit: 10 });
    const searchDuring = async <Result>(name: string, work: Promise<Result>): Promise<Result> => {
      const times: number[] = [];
      let isDone = false as boolean;
      const ended = work.finally(() => (isDone = true));
      for (let number = 0; !isDone; number += 1) {
        await sleep(SEARCH_PAUSE_MS);
        times.push(await timed(() => find(queries[number % queries.length] ?? "")));
      }
      Object.assign(figures, percentiles(name, times));
      return ended;
    };

    progress("index: ours, loading by words");
    const load = await searchDuring("words while loading", ask({ kind: "words", pages: count }));
    figures["load docs/s"] = count / load.wallS;
    figures["load CPU ms/doc"] = (load.cpuS * 1_000) / count;
    figures["tables after loading"] = load.pageTables;
    const fresh: number[] = [];
    for (let number = 0; number < MARKERS; number += 1) {
      const began = performance.now();
      void ask({ kind: "marker", number });
      while ((await find(markerWord(number))).length === 0) await sleep(10);
      fresh.push(performance.now() - began);
    }
    figures["found after ms, worst"] = Math.max(...fresh);

    progress("index: ours, optimising");
    const optimise = await searchDuring("words while optimising", ask({ kind: "optimise" }));
    figures["optimise CPU s"] = optimise.cpuS;
    await index.refresh();

    progress("index: ours, searching by words");
    const date = { ...TEAM, publishedFrom: new Date(Date.UTC(2022, 0, 1)) };
    const site = { ...TEAM, includeDomains: ["site10.example"] };
    const findMany = (text: string) => index.findByWords({ text }, TEAM, { limit: 100 });
    const findAll = (text: string) => index.findByWords({ text, operator: "and" }, TEAM, { limit: 10 });
    const findPhrase = (text: string) =>
      index.findByWords({ text: "", phrases: [text.split(" ").slice(0, 2).join(" ")] }, TEAM, { limit: 10 });
    Object.assign(figures, await measure("words OR", queries, (text) => find(text)));
    Object.assign(figures, await measure("words OR, 100 hits", queries, findMany));
    Object.assign(figures, await measure("words + date", queries, (text) => find(text, date)));
    Object.assign(figures, await measure("words + domain", queries, (text) => find(text, site)));
    Object.assign(figures, await measure("words AND", queries, findAll));
    Object.assign(figures, await measure("phrase", queries, findPhrase));
    for (let round = 0; round < CLEANINGS; round += 1) await ask({ kind: "clean" }).then(() => index.refresh());
    figures["words disk KB/page"] = sizeOf(directory) / 1_024 / count;

    progress("index: ours, vectors");
    const vectors = makeGeneratedVectors(count + VECTOR_QUERIES, DIMENSIONS);
    const embed = await ask({ kind: "vectors", pages: count });
    figures["vectors CPU ms/doc"] = (embed.cpuS * 1_000) / count;
    for (let round = 0; round < CLEANINGS; round += 1) await ask({ kind: "clean" }).then(() => index.refresh());
    for (const { name, filter, passes } of VECTOR_FILTERS) {
      const search = async (vector: Float32Array): Promise<readonly string[]> =>
        (await index.findByVector(vector, { ...TEAM, ...filter }, { limit: 10 })).map(({ url }) => url);
      Object.assign(figures, await measureVectors(name, vectors, passes, search));
    }
    figures["resident MB"] = residentMb();
    figures["resident MB, writer"] = (await ask({ kind: "stop" })).residentMb;
    await index.close();
    const reopen = startClock();
    index = await open();
    await find(queries[0] ?? "");
    figures["open and first words ms"] = reopen().wallS * 1_000;
    const firstVector = startClock();
    await index.findByVector(vectors[0] ?? missing(), TEAM, { limit: 10 });
    figures["first vector ms"] = firstVector().wallS * 1_000;
    await index.close();
    figures["disk KB/page"] = sizeOf(directory) / 1_024 / count;
    return figures;
  } finally {
    writer.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Two calls at a time: while one writes, the other analyses. */
async function inBatches(count: number, write: (numbers: readonly number[]) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const start = next;
      next += BATCH_ROWS;
      await write(Array.from({ length: Math.min(BATCH_ROWS, count - start) }, (_, offset) => start + offset));
    }
  };
  await Promise.all([lane(), lane()]);
}

/** A word no page has. */
function markerWord(number: number): string {
  return `marker${"abcdefghij"[number % 10] ?? ""}x`;
}

function residentMb(): number {
  return process.memoryUsage().rss / 1_024 ** 2;
}

/** What one would write without us: raw text, the engine's own tokens, one index built at the end, fixed probes. */
async function runBare(count: number, progress: (line: string) => void): Promise<Figures> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-bench-index-"));
  const figures: Record<string, number> = {};
  try {
    const session = new Session(512n * 1_024n ** 2n, 64n * 1_024n ** 2n);
    const connection = await connect(directory, { session, storageOptions: { newTableEnableStableRowIds: "true" } });
    progress("index: bare, loading by words");
    const cost = startClock();
    let table: Table | undefined;
    for (let start = 0; start < count; start += BATCH_ROWS) {
      const rows = Array.from({ length: Math.min(BATCH_ROWS, count - start) }, (_, offset) =>
        toBareRow(start + offset),
      );
      if (table === undefined) table = await connection.createTable("pages", rows);
      else await table.add(rows);
    }
    if (table === undefined) throw new Error("no pages");
    const pages = table;
    await pages.createIndex("text", { config: Index.fts({ withPosition: true }) });
    await pages.createIndex("host", { config: Index.bitmap() });
    await pages.createIndex("published", { config: Index.btree() });
    await pages.optimize({ cleanupOlderThan: new Date() });
    const load = cost();
    figures["load docs/s"] = count / load.wallS;
    figures["load CPU ms/doc"] = (load.cpuS * 1_000) / count;
    const queries = makeGeneratedQueries(QUERIES);
    const find = (text: string, limit: number, condition?: string) => {
      const query = pages
        .query()
        .fullTextSearch(new MatchQuery(text, "text"))
        .select(["url", "title", "_score"])
        .limit(limit);
      return (condition === undefined ? query : query.where(condition)).toArray();
    };
    progress("index: bare, searching by words");
    Object.assign(figures, await measure("words OR", queries, (text) => find(text, 10)));
    Object.assign(figures, await measure("words OR, 100 hits", queries, (text) => find(text, 100)));
    Object.assign(
      figures,
      await measure("words + date", queries, (text) => find(text, 10, `published >= ${Date.UTC(2022, 0, 1)}`)),
    );
    Object.assign(
      figures,
      await measure("words + domain", queries, (text) => find(text, 10, "host = 'site10.example'")),
    );
    figures["words disk KB/page"] = sizeOf(directory) / 1_024 / count;

    progress("index: bare, vectors");
    const vectors = makeGeneratedVectors(count + VECTOR_QUERIES, DIMENSIONS);
    const embed = startClock();
    let vectorTable: Table | undefined;
    for (let start = 0; start < count; start += BATCH_ROWS) {
      const rows = Array.from({ length: Math.min(BATCH_ROWS, count - start) }, (_, offset) => {
        const { url, publishedAt } = makeGeneratedPlace(start + offset);
        const vector = Array.from(vectors[start + offset] ?? missing());
        return { url, host: new URL(url).host, published: publishedAt?.getTime() ?? 0, vector };
      });
      if (vectorTable === undefined) vectorTable = await connection.createTable("chunks", rows);
      else await vectorTable.add(rows);
    }
    if (vectorTable === undefined) throw new Error("no vectors");
    const chunks = vectorTable;
    await chunks.createIndex("vector", { config: Index.ivfRq({ distanceType: "dot" }) });
    await chunks.createIndex("host", { config: Index.bitmap() });
    await chunks.createIndex("published", { config: Index.btree() });
    await chunks.optimize({ cleanupOlderThan: new Date() });
    figures["vectors CPU ms/doc"] = (embed().cpuS * 1_000) / count;
    for (const { name, condition, passes } of VECTOR_FILTERS) {
      const search = async (vector: Float32Array): Promise<readonly string[]> => {
        const query = chunks.query().nearestTo(vector).distanceType("dot").nprobes(20).refineFactor(10);
        const filtered = condition === undefined ? query : query.where(condition);
        const rows = (await filtered.select(["url", "_distance"]).limit(10).toArray()) as readonly {
          readonly url: string;
        }[];
        return rows.map(({ url }) => url);
      };
      Object.assign(figures, await measureVectors(name, vectors, passes, search));
    }
    figures["resident MB"] = residentMb();
    figures["disk KB/page"] = sizeOf(directory) / 1_024 / count;
    return figures;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function toBareRow(number: number): Record<string, string | number> {
  const { url, title, text, publishedAt } = makeGeneratedPage(number);
  return { url, title: title ?? "", text, host: new URL(url).host, published: publishedAt?.getTime() ?? 0 };
}

interface VectorFilter {
  readonly name: string;
  readonly filter: Partial<IndexFilter>;
  readonly condition: string | undefined;
  readonly passes: (place: ReturnType<typeof makeGeneratedPlace>) => boolean;
}

const RECENT = Date.UTC(2025, 6, 1);
const VECTOR_FILTERS: readonly VectorFilter[] = [
  { name: "vector", filter: {}, condition: undefined, passes: () => true },
  {
    name: "vector + domain",
    filter: { includeDomains: ["site100.example"] },
    condition: "host = 'site100.example'",
    passes: ({ url }) => url.startsWith("https://site100.example/"),
  },
  {
    name: "vector + date",
    filter: { publishedFrom: new Date(RECENT) },
    condition: `published >= ${RECENT}`,
    passes: ({ publishedAt }) => (publishedAt?.getTime() ?? 0) >= RECENT,
  },
];

/** The last vectors are the queries; the others belong to pages. */
async function measureVectors(
  name: string,
  vectors: readonly Float32Array[],
  passes: VectorFilter["passes"],
  search: (vector: Float32Array) => Promise<readonly string[]>,
): Promise<Figures> {
  const places = vectors.slice(0, -VECTOR_QUERIES).map((_, number) => makeGeneratedPlace(number));
  const passing = places.flatMap((place, number) => (passes(place) ? [{ url: place.url, number }] : []));
  let [right, all] = [0, 0];
  const times: number[] = [];
  for (const query of vectors.slice(-VECTOR_QUERIES)) {
    const scored = passing.map(({ url, number }) => {
      const vector = vectors[number] ?? missing();
      let score = 0;
      for (let axis = 0; axis < vector.length; axis += 1) score += (vector[axis] ?? 0) * (query[axis] ?? 0);
      return { url, score };
    });
    const nearest = scored.sort((one, other) => other.score - one.score).slice(0, 10);
    const truth = new Set(nearest.map(({ url }) => url));
    let found: readonly string[] = [];
    times.push(await timed(async () => (found = await search(query))));
    right += found.filter((url) => truth.has(url)).length;
    all += truth.size;
  }
  return { ...percentiles(name, times), [`${name} recall`]: right / Math.max(1, all) };
}

async function measure(
  name: string,
  queries: readonly string[],
  search: (text: string) => Promise<unknown>,
): Promise<Figures> {
  for (const text of queries.slice(0, 20)) await search(text);
  const times: number[] = [];
  const cost = startClock();
  for (const text of queries) times.push(await timed(() => search(text)));
  return { ...percentiles(name, times), [`${name} CPU ms`]: (cost().cpuS * 1_000) / queries.length };
}

function percentiles(name: string, times: readonly number[]): Figures {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { [`${name} p50 ms`]: at(0.5), [`${name} p95 ms`]: at(0.95) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function startClock(): () => { readonly wallS: number; readonly cpuS: number } {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { wallS: (performance.now() - wall) / 1_000, cpuS: (user + system) / 1e6 };
  };
}

function sizeOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(path.join(file.parentPath, file.name)).size, 0);
}

function missing(): never {
  throw new Error("there are as many vectors as pages");
}
