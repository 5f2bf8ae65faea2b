import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { createWorkspace, ripgrepProgram, workspaceTools, type Tool, type ToolContext } from "@quarry/agent";
import type { Benchmark } from "./benchmark.ts";

const FILES = 50_000;
const FILES_A_DIRECTORY = 100;
const ROUNDS = 15;
const READS = 200;

/** The file tools on a tree of 50,000 files, the plain tool beside them in the same run. */
export const workspaceBenchmark: Benchmark = {
  name: "workspace",
  run: async ({ size, progress }) => {
    const directory = await realpath(await mkdtemp(path.join(tmpdir(), "quarry-bench-workspace-")));
    const root = path.join(directory, "root");
    try {
      const files = Math.max(500, Math.round(FILES * size));
      progress(`making ${files} files`);
      await growTree(root, files);
      const deps = createWorkspace({ roots: [root], historyDirectory: path.join(directory, "history") });
      const run = runnerOf(workspaceTools(deps));
      const rounds = Math.max(3, Math.round(ROUNDS * Math.max(size, 0.4)));
      const figures: Record<string, number> = { files, loadAverage: loadavg()[0] ?? 0 };
      const rows: (string | number)[][] = [];
      for (const [name, args, plain] of SEARCHES) {
        progress(`searching: ${name}`);
        const times = await sideBySide(rounds, {
          ours: () => run("ripgrep_raw_search", args),
          plain: () => ripgrep(root, plain),
        });
        const ratio = times.ours / times.plain;
        figures[`search ${name} ratio`] = ratio;
        figures[`search ${name} cpu ratio`] = times.oursCpu / times.plainCpu;
        figures[`search ${name} best ms`] = times.oursBest;
        figures[`search ${name} plain best ms`] = times.plainBest;
        rows.push([
          `raw search, ${name}`,
          times.ours.toFixed(1),
          times.plain.toFixed(1),
          ratio.toFixed(2),
          (times.oursCpu / times.plainCpu).toFixed(2),
          "1.2 times rg",
        ]);
      }
      const single = async (
        name: string,
        count: number,
        promise: string,
        work: () => Promise<unknown>,
      ): Promise<void> => {
        progress(name);
        for (let warm = 0; warm < 3; warm += 1) await work();
        const times = await timesOf(count, work);
        figures[`${name} ms`] = median(times);
        figures[`${name} best ms`] = Math.min(...times);
        rows.push([name, median(times).toFixed(2), "", "", "", promise]);
      };
      await single("glob", rounds, "50 ms", () => run("glob_file_search", { globPattern: "**/*7.ts" }));
      await single("fuzzy file search", rounds, "50 ms", () => run("file_search", { query: "mod12file34" }));
      const target = "module-1/file-1.ts";
      const reads = Math.max(20, Math.round(READS * size));
      await single("read", reads, "5 ms", () => run("read_file_v2", { targetFile: target }));
      await single("read with outline and commits", reads, "5 ms", () =>
        run("read_file", { relativeWorkspacePath: target, maxLines: 10 }),
      );
      let edits = 0;
      await single("edit", reads, "5 ms", () => {
        edits += 1;
        return run("edit_file_v2", {
          relativeWorkspacePath: target,
          contentsAfterEdit: `export const edit = ${edits};\n`,
        });
      });
      return {
        figures,
        tables: [
          {
            title: `Workspace tools on ${files} files, medians; load average ${(loadavg()[0] ?? 0).toFixed(1)}`,
            columns: ["what", "ours ms", "plain rg ms", "ratio", "ratio of CPU time", "promise"],
            rows,
          },
        ],
      };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

/** Each with the arguments of our tool and of ripgrep itself: a rare word, a frequent one, counts and names. */
const SEARCHES: readonly (readonly [name: string, args: JsonObject, plain: readonly string[]])[] = [
  ["rare word, lines", { pattern: "needle" }, ["-n", "needle"]],
  ["frequent word, 200 lines", { pattern: "export" }, ["-n", "export"]],
  ["regular expression, lines", { pattern: "value_\\d*99\\b" }, ["-n", "value_\\d*99\\b"]],
  ["rare word, files", { pattern: "needle", outputMode: "files_with_matches" }, ["-l", "needle"]],
  ["frequent word, files", { pattern: "export", outputMode: "files_with_matches" }, ["-l", "export"]],
  ["counts", { pattern: "needle", outputMode: "count" }, ["--count-matches", "needle"]],
];

/** Makes a tree as a large repository has: 100 small sources a directory, a rare word in every thousandth. */
export async function growTree(root: string, files: number): Promise<void> {
  const long = new Date(Date.now() - 3_600_000);
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, ".gitignore"), "*.log\nout/\n");
  for (let first = 0, module = 0; first < files; first += FILES_A_DIRECTORY, module += 1) {
    const directory = path.join(root, `module-${module}`);
    await mkdir(directory);
    await Promise.all(
      Array.from({ length: Math.min(FILES_A_DIRECTORY, files - first) }, (_, index) =>
        writeFile(path.join(directory, `file-${index}.ts`), sourceOf(first + index)),
      ),
    );
    await utimes(directory, long, long);
  }
  await utimes(path.join(root, ".gitignore"), long, long);
  await utimes(root, long, long);
}

function sourceOf(number: number): string {
  const lines = Array.from(
    { length: 20 },
    (_, line) => `  const value_${number * 20 + line} = compute(${line}, "some text of a line");`,
  );
  return `export function file${number}() {\n${lines.join("\n")}\n${number % 1_000 === 0 ? "  // needle\n" : ""}}\n`;
}

/** Runs tools by their names, as the spine does, without policy; throws when one fails. */
export function runnerOf(tools: readonly Tool[]): (name: string, args: JsonObject) => Promise<void> {
  const context: ToolContext = {
    teamId: "team",
    session: { id: "bench", workspaceRoot: "", mode: "agent" },
    toolCallId: "call",
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
  };
  return async (name, args) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    await tool.inspect(args, context);
    const steps = tool.run(args, context);
    for (;;) {
      const step = await steps.next();
      if (step.done !== true) continue;
      if (step.value.kind === "failed" || step.value.result["error"] !== undefined)
        throw new Error(JSON.stringify(step.value));
      return;
    }
  };
}

/** Ripgrep as a person runs it, its output read to the end. */
export function ripgrep(root: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const walk = ["--no-config", "--hidden", "--glob", "!.git", "--no-require-git"];
    const child = spawn(ripgrepProgram, [...walk, ...args, "."], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.resume();
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

/** Medians, bests and CPU time of two ways to do the same, in turns, so that a busy machine slows both. */
export async function sideBySide(
  rounds: number,
  ways: { readonly ours: () => Promise<unknown>; readonly plain: () => Promise<unknown> },
): Promise<{
  readonly ours: number;
  readonly plain: number;
  readonly oursBest: number;
  readonly plainBest: number;
  /** Of all rounds together, with the programs they ran. */
  readonly oursCpu: number;
  readonly plainCpu: number;
}> {
  const [ours, plain]: [number[], number[]] = [[], []];
  const cpu = { ours: 0, plain: 0 };
  const timed = async (way: "ours" | "plain", kept: number[]): Promise<void> => {
    const before = cpuMs();
    kept.push(await timeOf(ways[way]));
    cpu[way] += cpuMs() - before;
  };
  await ways.ours();
  await ways.plain();
  for (let round = 0; round < rounds; round += 1) {
    const isOursFirst = round % 2 === 0;
    if (isOursFirst) await timed("ours", ours);
    await timed("plain", plain);
    if (!isOursFirst) await timed("ours", ours);
  }
  return {
    ours: median(ours),
    plain: median(plain),
    oursBest: Math.min(...ours),
    plainBest: Math.min(...plain),
    oursCpu: cpu.ours,
    plainCpu: cpu.plain,
  };
}

/** What this process has taken of a processor, and on Linux also the programs it ran, in ticks of 10 ms. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1_000;
  if (process.platform !== "linux") return own;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return own + (Number(fields[13]) + Number(fields[14])) * 10; // cutime and cstime
}

async function timesOf(count: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) times.push(await timeOf(work));
  return times;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
