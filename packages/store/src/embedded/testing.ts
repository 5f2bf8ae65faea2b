import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A test program under way: it talks in lines, both ways. */
export interface TestProgram {
  readonly pid: number;
  /** The next line it prints; rejects when it ends before. */
  readonly nextLine: () => Promise<string>;
  readonly send: (line: string) => void;
  /** Sends SIGKILL and waits for the end. */
  readonly kill: () => Promise<void>;
  /** Waits for its own end; the exit code. */
  readonly exited: Promise<number | null>;
}

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../..");

/** Bundles `test-programs/<name>.ts`, as the product is bundled, and gives a way to start it in processes of its own. */
export async function buildTestProgram(name: string): Promise<(...args: string[]) => TestProgram> {
  const directory = path.join(repository, "node_modules", ".cache", "test-programs");
  await mkdir(directory, { recursive: true });
  const outfile = path.join(directory, `${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [path.join(path.dirname(fileURLToPath(import.meta.url)), "test-programs", `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["source"],
    external: ["pg"],
    logLevel: "warning",
  });
  return (...args) => startProgram(outfile, args);
}

/** Runs `work` with a new temporary directory that only we can enter, and removes it. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(path.join(tmpdir(), "quarry-embedded-"));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

function startProgram(file: string, args: readonly string[]): TestProgram {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = waitForExit(child);
  return {
    pid: child.pid ?? 0,
    nextLine: async () => {
      const line = await lines.next();
      if (line.done === true) throw new Error(`${path.basename(file)} ended`);
      return line.value;
    },
    send: (line) => child.stdin.write(`${line}\n`),
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    exited,
  };
}

function waitForExit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("exit", resolve));
}
