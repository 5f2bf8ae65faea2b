import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sleep } from "@quarry/base";
import { openSearchIndex, type IndexFilter } from "@quarry/retrieval";
import { makeGeneratedQueries, makeGeneratedVectors } from "./generated-pages.ts";
import {
  DIMENSIONS,
  measure,
  measureVectors,
  missing,
  percentiles,
  QUERIES,
  residentMb,
  sizeOf,
  startClock,
  timed,
  VECTOR_FILTERS,
  VECTOR_QUERIES,
  type Figures,
} from "./index-measure.ts";
import { EMBEDDING, markerWord, TEAM, type WriterReply, type WriterTask } from "./index-writer.ts";

const MARKERS = 10;
const SEARCH_PAUSE_MS = 30;
/** Minutes pass between them, by the writer's clock; the first looks, the second cleans. */
const CLEANINGS = 3;

/** Our index: written by one process, searched by this one. `writerEnvironment` makes a process of this program the writer. */
export async function runOurs(
  count: number,
  progress: (line: string) => void,
  writerEnvironment: (indexUrl: string) => Readonly<Record<string, string>>,
): Promise<Figures> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-bench-index-"));
  const figures: Record<string, number> = {};
  const writer = fork(process.argv[1] ?? "", ["--only", "index", "--out", directory], {
    env: { ...process.env, ...writerEnvironment(path.join(directory, "index")) },
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
