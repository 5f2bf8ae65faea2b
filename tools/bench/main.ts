import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "../eval/print-table.ts";
import type { Benchmark } from "./benchmark.ts";
import { crawlBenchmark } from "./crawl.ts";
import { editsBenchmark } from "./edits.ts";
import { indexBenchmark } from "./index.ts";
import { jobsBenchmark } from "./jobs.ts";
import { extractBenchmark } from "./extract.ts";
import { searchBenchmark } from "./search.ts";
import { startupBenchmark } from "./startup.ts";
import { storeStallBenchmark } from "./store-stall.ts";
import { toolOverheadBenchmark } from "./tool-overhead.ts";
import { websetsBenchmark } from "./websets.ts";
import { workspaceBenchmark } from "./workspace.ts";

/** Everything we can measure; a new benchmark is one line here. */
const BENCHMARKS: readonly Benchmark[] = [
  crawlBenchmark,
  editsBenchmark,
  extractBenchmark,
  indexBenchmark,
  jobsBenchmark,
  searchBenchmark,
  startupBenchmark,
  storeStallBenchmark,
  toolOverheadBenchmark,
  websetsBenchmark,
  workspaceBenchmark,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true },
    size: { type: "string", default: "1" },
    out: { type: "string", default: "bench-results" },
  },
});

const wanted = [...positionals, ...(values.only ?? [])].flatMap((names) => names.split(","));
const unknown = wanted.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
const size = Number(values.size);
if (unknown.length > 0 || !(size > 0 && size <= 1)) {
  const names = BENCHMARKS.map((benchmark) => benchmark.name).join(", ");
  process.stderr.write(`usage: npm run bench -- [NAME…] [--only NAME[,NAME]] [--size 0.05]; there are: ${names}\n`);
  process.exit(2);
}

mkdirSync(values.out, { recursive: true });
for (const benchmark of BENCHMARKS) {
  if (wanted.length > 0 && !wanted.includes(benchmark.name)) continue;
  const result = await benchmark.run({ size, progress: (line) => process.stderr.write(`${line}\n`) });
  for (const table of result.tables) printTable(table);
  const file = path.join(values.out, `${benchmark.name}.json`);
  const record = { name: benchmark.name, at: new Date().toISOString(), size, node: process.version, ...result };
  writeFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`);
  process.stdout.write(`wrote ${file}\n`);
}
