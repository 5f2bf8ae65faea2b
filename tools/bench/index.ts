import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Benchmark, BenchmarkResult } from "./benchmark.ts";
import { runBare } from "./index-bare.ts";
import type { Figures } from "./index-measure.ts";
import { runOurs } from "./index-ours.ts";
import { runServer, runServerOnRecords } from "./index-server.ts";
import { runWriter } from "./index-writer.ts";

/** Pages at full size. */
const PAGES = 100_000;
/** Each side runs in a process of its own, so that its memory can be told. */
const PART = "QUARRY_BENCH_INDEX_PART";
const DIRECTORY = "QUARRY_BENCH_INDEX_DIRECTORY";

/** What the search index costs beside bare LanceDB on the same generated pages, in the same run. */
export const indexBenchmark: Benchmark = {
  name: "index",
  run: async ({ size, progress }) => {
    const pages = Math.max(1_000, Math.round(PAGES * size));
    const part = process.env[PART];
    if (part === "records") return { tables: [], figures: await runServerOnRecords(size, progress) };
    if (part !== undefined) return { tables: [], figures: await runHere(part, pages, progress) };
    const tenth = await runPart("ours", size / 10, progress);
    const ours = await runPart("ours", size, progress);
    const bare = await runPart("bare", size, progress);
    const server = await runPart("server", size, progress);
    const records = await runPart("records", size, progress);
    const all = { ...ours, ...server, ...records, ...slopesOf(withRest(tenth, pages / 10), withRest(ours, pages)) };
    return toResult(pages, { ...all, ...sharesOf(all, bare) }, bare);
  },
};

function runHere(part: string, pages: number, progress: (line: string) => void): Promise<Figures> {
  if (part === "bare") return runBare(pages, progress);
  if (part === "server") return runServer(pages, progress);
  if (part === "writer") return runWriter(process.env[DIRECTORY] ?? "");
  return runOurs(pages, progress, (indexUrl) => ({ [PART]: "writer", [DIRECTORY]: indexUrl }));
}

async function runPart(
  part: "ours" | "bare" | "server" | "records",
  size: number,
  progress: (line: string) => void,
): Promise<Figures> {
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

const UNTIL_REST = "load and optimise CPU ms/doc";

/** What is left for later counts too. */
function withRest(figures: Figures, pages: number): Figures {
  const rest = ((figures["optimise CPU s"] ?? Number.NaN) * 1_000) / pages;
  return { ...figures, [UNTIL_REST]: (figures["load CPU ms/doc"] ?? Number.NaN) + rest };
}

/** How the whole way, from a request to a hit, compares with the engine alone on the same machine in the same run. */
function sharesOf(ours: Figures, bare: Figures): Figures {
  const shares = ["HTTP to words", "records to words"].map((name) => {
    return [
      `${name}, share of bare`,
      (ours[`${name} docs/s`] ?? Number.NaN) / (bare["load docs/s"] ?? Number.NaN),
    ] as const;
  });
  return Object.fromEntries(shares.filter(([, share]) => Number.isFinite(share)));
}

/** How cost grows from a tenth of the pages to all of them: 1 is with their number. */
function slopesOf(tenth: Figures, whole: Figures): Figures {
  const slope = (name: string): number => 1 + Math.log10((whole[name] ?? Number.NaN) / (tenth[name] ?? Number.NaN));
  return {
    "slope of loading": slope("load CPU ms/doc"),
    "slope of loading until at rest": slope(UNTIL_REST),
    "slope of vectors": slope("vectors CPU ms/doc"),
    "slope of disk": slope("disk KB/page"),
  };
}

/** What figures must be, some beside those of the bare engine. Slopes are of measured times: a little above 1 is 1. */
const TARGETS: Readonly<
  Record<string, { readonly least: number } | { readonly most: number } | { readonly mostMore: number }>
> = {
  "HTTP to words docs/s": { least: 800 },
  "records to words docs/s": { least: 800 },
  "passages per CPU second": { least: 25 },
  "resident MB": { mostMore: 600 },
  "disk KB/page": { most: 6 },
  "index disk KB/page": { most: 6 },
  "found after ms, worst": { most: 2_000 },
  "words while loading p95 ms": { most: 20 },
  "keyword by HTTP while loading p50 ms": { most: 5 },
  "keyword by HTTP while loading p95 ms": { most: 20 },
  "words while optimising p95 ms": { most: 20 },
  "ready again ms": { most: 3_000 },
  "words after start ms": { most: 3_000 },
  "vectors after start ms": { most: 6_000 },
  "slope of loading": { most: 1.05 },
  "slope of loading until at rest": { most: 1.05 },
  "slope of vectors": { most: 1.05 },
  "slope of disk": { most: 1.05 },
};

function showTarget(name: string, figure: number | undefined, bare: number | undefined): string {
  const target = TARGETS[name];
  if (target === undefined || figure === undefined) return "";
  if ("least" in target) return `${figure >= target.least ? "met" : "missed"}: at least ${target.least}`;
  const most = "most" in target ? target.most : (bare ?? Number.NaN) + target.mostMore;
  return `${figure <= most ? "met" : "missed"}: at most ${show(most)}`;
}

function toResult(pages: number, ours: Figures, bare: Figures): BenchmarkResult {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(bare)])];
  const rows = names.map((name) => {
    const [one, other] = [ours[name], bare[name]];
    const ratio = one === undefined || other === undefined ? "" : (one / other).toFixed(2);
    return [name, show(one), show(other), ratio, showTarget(name, one, other)];
  });
  const figures = Object.fromEntries([
    ...Object.entries(ours),
    ...Object.entries(bare).map(([name, value]) => [`bare.${name}`, value] as const),
  ]);
  return {
    figures,
    tables: [{ title: `Index, ${pages} pages`, columns: ["", "ours", "bare LanceDB", "ratio", "target"], rows }],
  };
}

function show(value: number | undefined): string {
  return value === undefined ? "" : value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3);
}
