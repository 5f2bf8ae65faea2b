import { isSize, runByName } from "../run-by-name.ts";
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

await runByName({
  command: "bench",
  runs: BENCHMARKS,
  options: {
    size: { value: "0.05", default: "1", accepts: isSize },
    corpus: { value: "NAME" },
    keep: { value: "DIRECTORY" },
  },
  perform: async (benchmark, values) => {
    const size = Number(values["size"]);
    const result = await benchmark.run({
      size,
      corpus: textOf(values["corpus"]),
      keep: textOf(values["keep"]),
      progress: (line) => process.stderr.write(`${line}\n`),
    });
    const record = { name: benchmark.name, size, node: process.version, ...result };
    return { tables: result.tables, file: benchmark.name, record };
  },
});

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
