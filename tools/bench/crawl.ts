import { spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { sleep } from "@quarry/base";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import { buildProgram } from "../soak/build-program.ts";
import type { Benchmark } from "./benchmark.ts";
import { readProcessTree } from "./process-tree.ts";

/**
 * The index holds the newest pages in memory until 2.5 million tokens are together, here some 10,000 pages, and the heaps
 * of the threads find their size in 20,000: memory grows until then, and is to be flat over the 20,000 that follow. The
 * rest shows what the index takes as it grows: from some 50,000 pages on it merges tables of 40,000, and holds up to
 * 200 MB more meanwhile.
 */
const PAGES = 80_000;
const QUARTERS = [1, 2, 3, 4] as const;
const FLAT_FROM = 20_000;
const FLAT_TO = 40_000;
/** What the second half of those pages may take at most, of what the first took at most. */
const PROMISED_GROWTH = 1.1;
const MEMORY_EVERY_MS = 1_000;
const TOLD_EVERY_MS = 10_000;
const PROMISED_PAGES_PER_SECOND = 150;
const GIVEN_UP_AFTER_MS = 20 * 60_000;

interface CrawlReply {
  readonly id: string;
  readonly status: string;
  readonly progress: { readonly done: number; readonly failed: number };
}

/** Pages a second through fetch, snapshot and extract without pauses, from a web in a process of its own; and memory. */
export const crawlBenchmark: Benchmark = {
  name: "crawl",
  run: ({ size, progress }) =>
    withDataDirectory(async (directory) => {
      const pages = Math.max(100, Math.round(PAGES * size));
      const web = await startWeb(pages);
      const server = await startServerProcess(directory, {
        QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
        QUARRY_LOG_LEVEL: "warn",
        QUARRY_SAMPLE: "0",
      });
      try {
        return toResult(await crawlAll(server, web.origin, { pages, progress }));
      } finally {
        await server.stop();
        await web.close();
      }
    }),
};

/** What all processes held at a moment. */
interface MemoryThen {
  readonly pages: number;
  readonly megabytes: number;
  readonly byProgram: Readonly<Record<string, number>>;
}

interface Measured {
  readonly pages: number;
  readonly failed: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly memory: readonly MemoryThen[];
}

async function crawlAll(
  server: ServerProcess,
  origin: string,
  { pages, progress }: { readonly pages: number; readonly progress: (line: string) => void },
): Promise<Measured> {
  const cpuBefore = readProcessTree(server.pid).cpuSeconds;
  const began = performance.now();
  const request = { url: `${origin}/`, delayMs: 0, maxPages: pages * 2, maxDepth: 100 };
  const { body } = await server.call("POST", "/quarry/v1/crawls", request);
  const { id } = body as CrawlReply;
  const memory: MemoryThen[] = [];
  for (let [memoryDueMs, toldDueMs] = [began, began]; ;) {
    const crawl = (await server.call("GET", `/quarry/v1/crawls/${id}`)).body as CrawlReply;
    const { done, failed } = crawl.progress;
    const nowMs = performance.now();
    const seconds = (nowMs - began) / 1_000;
    if (nowMs >= memoryDueMs) {
      const { residentMegabytes: megabytes, residentByProgram: byProgram } = readProcessTree(server.pid);
      memory.push({ pages: done, megabytes, byProgram });
      memoryDueMs = nowMs + MEMORY_EVERY_MS;
      if (nowMs >= toldDueMs) {
        progress(`${done} pages, ${(done / seconds).toFixed(0)} pages/s, ${sayMemory(megabytes, byProgram)}`);
        toldDueMs = nowMs + TOLD_EVERY_MS;
      }
    }
    if (["completed", "failed", "canceled"].includes(crawl.status)) {
      if (crawl.status !== "completed" || done !== pages)
        throw new Error(`the crawl ended ${crawl.status} with ${done} of ${pages} pages\n${server.stderr()}`);
      return { pages, failed, seconds, cpuSeconds: readProcessTree(server.pid).cpuSeconds - cpuBefore, memory };
    }
    if (seconds * 1_000 > GIVEN_UP_AFTER_MS) throw new Error(`the crawl stands at ${done} pages\n${server.stderr()}`);
    await sleep(200);
  }
}

function toResult(measured: Measured): Awaited<ReturnType<Benchmark["run"]>> {
  const { pages, failed, seconds, cpuSeconds, memory } = measured;
  const quarters = QUARTERS.map((quarter) => ({
    quarter,
    highest: highestOf(memory, { from: ((quarter - 1) * pages) / 4, to: (quarter * pages) / 4 }),
  }));
  const middle = (FLAT_FROM + FLAT_TO) / 2;
  const growth = ratio(
    highestOf(memory, { from: middle, to: FLAT_TO }),
    highestOf(memory, { from: FLAT_FROM, to: middle }),
  );
  const growthOfIndex = ratio(quarters[3]?.highest, quarters[1]?.highest);
  const figures = {
    pages,
    failed,
    seconds,
    pagesPerSecond: pages / seconds,
    pagesPerCpuSecond: pages / cpuSeconds,
    memoryGrowth: growth,
    memoryGrowthWithIndex: growthOfIndex,
    ...Object.fromEntries(
      quarters.map(({ quarter, highest }) => [`megabytesInQuarter${quarter}`, highest?.megabytes ?? 0]),
    ),
    ...Object.fromEntries(
      quarters.map(({ quarter, highest }) => [`serverMegabytesInQuarter${quarter}`, highest?.byProgram["root"] ?? 0]),
    ),
  };
  return {
    figures,
    tables: [
      {
        title: "Crawl: fetch, snapshot and extract of generated pages, server and database together",
        columns: ["", "measured", "promise"],
        rows: [
          [
            "pages a second",
            figures.pagesPerSecond.toFixed(0),
            `${figures.pagesPerSecond >= PROMISED_PAGES_PER_SECOND ? "met" : "missed"}: ${PROMISED_PAGES_PER_SECOND} on two cores`,
          ],
          ["pages a second of processor time", figures.pagesPerCpuSecond.toFixed(0), ""],
          ...quarters.map(({ quarter, highest }) => [
            `most memory, pages ${Math.round(((quarter - 1) * pages) / 4)} to ${Math.round((quarter * pages) / 4)}`,
            highest === undefined ? "" : sayMemory(highest.megabytes, highest.byProgram),
            "",
          ]),
          [
            `memory of pages ${middle} to ${FLAT_TO} by that of the 10,000 before`,
            Number.isFinite(growth) ? growth.toFixed(2) : "",
            pages < FLAT_TO
              ? "too few pages"
              : `${growth <= PROMISED_GROWTH ? "met" : "missed"}: at most ${PROMISED_GROWTH} over 20,000 pages`,
          ],
          [
            "memory of the last quarter by that of the second, with the index's merges",
            Number.isFinite(growthOfIndex) ? growthOfIndex.toFixed(2) : "",
            "",
          ],
        ],
      },
    ],
  };
}

function highestOf(
  memory: readonly MemoryThen[],
  { from, to }: { readonly from: number; readonly to: number },
): MemoryThen | undefined {
  return memory
    .filter(({ pages }) => pages >= from && pages <= to)
    .reduce<MemoryThen | undefined>((most, one) => (one.megabytes > (most?.megabytes ?? 0) ? one : most), undefined);
}

function ratio(later: MemoryThen | undefined, earlier: MemoryThen | undefined): number {
  return (later?.megabytes ?? Number.NaN) / (earlier?.megabytes ?? Number.NaN);
}

/** The whole, then its parts: the server, the processes it started, and the database, whose cache fills up to its limit. */
function sayMemory(megabytes: number, byProgram: Readonly<Record<string, number>>): string {
  const parts = Object.entries(byProgram)
    .filter(([, part]) => part >= 1)
    .map(([name, part]) => `${name === "root" ? "server" : name} ${part.toFixed(0)}`);
  return `${megabytes.toFixed(0)} MB (${parts.join(", ")})`;
}

async function startWeb(pages: number): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
  const program = await buildProgram("tools/bench/crawl-web.ts");
  const child = spawn(process.execPath, [program, String(pages)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    origin: await firstLine(child),
    close: async () => {
      child.kill();
      await ended;
      rmSync(program, { force: true });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the web ended with ${code}`)));
    child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
}
