import { mkdtemp, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { createWorkspace, workspaceTools, type ToolContext } from "@quarry/agent";
import type { Benchmark } from "./benchmark.ts";

const ROUNDS = 300;
const WARM_UP = 20;
const LINES = [100, 1_000, 10_000];

/** What reading and editing a file costs, from the call to the answer, each edit kept for undo and written through to the disk; plain writes beside it. */
export const editsBenchmark: Benchmark = {
  name: "edits",
  run: async ({ size, progress }) => {
    const directory = await realpath(await mkdtemp(path.join(tmpdir(), "quarry-bench-edits-")));
    const root = path.join(directory, "root");
    await mkdir(root);
    const deps = createWorkspace({ roots: [root], historyDirectory: path.join(directory, "history") });
    const tools = workspaceTools(deps);
    const run = async (name: string, args: JsonObject): Promise<void> => {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      const running = tool.run(args, CONTEXT);
      for (;;) if ((await running.next()).done === true) return;
    };
    const rounds = Math.max(20, Math.round(ROUNDS * size));
    const figures: Record<string, number> = { rounds, loadAverage: loadavg()[0] ?? 0 };
    const rows: (string | number)[][] = [];
    try {
      for (const lines of LINES) {
        progress(`${lines} lines`);
        const name = `file-${lines}.ts`;
        for (const [what, work] of works(path.join(root, name), name, { lines, run })) {
          await writeFile(path.join(root, name), makeFile(lines));
          const times = await measure(rounds, work);
          figures[`${what}, ${lines} lines, p50 ms`] = times.p50;
          figures[`${what}, ${lines} lines, p95 ms`] = times.p95;
          figures[`${what}, ${lines} lines, cpu ms`] = times.cpu;
          rows.push([what, lines, times.p50.toFixed(2), times.p95.toFixed(2), times.cpu.toFixed(2)]);
        }
      }
    } finally {
      await Promise.all([deps.code.close(), deps.terminals.close()]);
      await rm(directory, { recursive: true, force: true });
    }
    const title = `Edits, ${rounds} each; load average ${(loadavg()[0] ?? 0).toFixed(1)}; promised: read and edit under 5 ms`;
    return { figures, tables: [{ title, columns: ["what", "lines", "p50 ms", "p95 ms", "cpu ms"], rows }] };
  },
};

const CONTEXT: ToolContext = {
  teamId: "bench",
  session: { id: "bench", workspaceRoot: "", mode: "agent" },
  toolCallId: "bench",
  signal: new AbortController().signal,
  earlierResults: () => Promise.resolve([]),
};

type Work = (round: number) => Promise<unknown>;

/** What is measured, in order; each begins with the same file. */
function works(
  file: string,
  name: string,
  of: { readonly lines: number; readonly run: (tool: string, args: JsonObject) => Promise<void> },
): readonly (readonly [string, Work])[] {
  const { run } = of;
  const middle = Math.floor(of.lines / 2);
  const at = (round: number): string => `  const item${middle} = load("${middle}", ${round});`;
  const replace =
    (spoil: (text: string) => string): Work =>
    (round) => {
      const [oldString, newString] = [spoil(at(round)), spoil(at(round + 1))];
      return run("edit_file", { relativeWorkspacePath: name, oldString, newString });
    };
  const missed = { oldString: at(0).replace("load", "lode"), newString: "x", gracefullyHandleRecoverableErrors: true };
  return [
    ["read", () => run("read_file_v2", { targetFile: name })],
    ["edit, exact", replace((text) => text)],
    ["edit, other indentation", replace((text) => `\t${text.trim()}`)],
    ["miss, with the closest region", () => run("edit_file", { relativeWorkspacePath: name, ...missed })],
    [
      "plain read and write, not kept",
      async (round) => writeFile(file, `${await readFile(file, "utf8")}// ${round}\n`),
    ],
  ];
}

interface Times {
  readonly p50: number;
  readonly p95: number;
  /** What it takes of a processor, also where others wait for it too. */
  readonly cpu: number;
}

async function measure(rounds: number, work: Work): Promise<Times> {
  const times: number[] = [];
  let cpu = process.cpuUsage();
  for (let round = 0; round < WARM_UP + rounds; round += 1) {
    if (round === WARM_UP) cpu = process.cpuUsage();
    const began = performance.now();
    await work(round);
    if (round >= WARM_UP) times.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const of = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { p50: of(0.5), p95: of(0.95), cpu: (user + system) / 1_000 / rounds };
}

function makeFile(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `  const item${index} = load("${index}", 0);\n`).join("");
}
