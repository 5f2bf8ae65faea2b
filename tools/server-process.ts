import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { layDatabase } from "./lay-database.ts";

/** The real server in a process of its own, as `npm start` runs it. */
export interface ServerProcess {
  readonly url: string;
  /** A key with every scope: the one of server.json. A worker has none; it is asked with QUARRY_API_KEY. */
  readonly key: string;
  readonly pid: number;
  readonly readyMs: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Null while it runs, and when a signal ended it. */
  readonly exitCode: () => number | null;
  /** SIGTERM; resolves with the exit code once the process is gone. */
  readonly stop: () => Promise<number | null>;
  /** SIGKILL, as the kernel or an impatient person would. */
  readonly kill: () => Promise<void>;
  /** A call with the key; JSON in, JSON out. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;
}

/** Tests and tools run from the root of the repository. */
const serverProgram = path.resolve("dist", "server.js");
const READY_WITHIN_MS = 60_000;

/** Runs `work` with an empty data directory, which is removed afterwards. */
export async function withDataDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-e2e-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Starts the server on a port of its own and waits until it is ready. A new data directory gets a database that is made
 * already, except where the sample is asked for: that is a first start as people have it.
 */
export async function startServerProcess(
  dataDirectory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  mkdirSync(dataDirectory, { recursive: true });
  if (settings["QUARRY_DATABASE_URL"] === undefined && settings["QUARRY_SAMPLE"] !== "1") {
    await layDatabase(dataDirectory);
  }
  const began = performance.now();
  const child = spawnServer(dataDirectory, { QUARRY_PORT: "0", ...settings });
  const output = collect(child);
  for (const end = began + READY_WITHIN_MS; ;) {
    if (child.exitCode !== null || performance.now() > end) {
      child.kill("SIGKILL");
      throw new Error(
        `the server did not get ready (exit code ${child.exitCode})\n${output.stdout()}\n${output.stderr()}`,
      );
    }
    if (output.stdout().includes("Stop")) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { url, key } =
    settings["QUARRY_ROLE"] === "worker"
      ? { url: /ready at (\S+)/.exec(output.stdout())?.[1] ?? "", key: settings["QUARRY_API_KEY"] ?? "" }
      : (JSON.parse(readFileSync(path.join(dataDirectory, "server.json"), "utf8")) as { url: string; key: string });
  const exited = exitOf(child);
  return {
    url,
    key,
    pid: child.pid ?? 0,
    readyMs: performance.now() - began,
    ...output,
    exitCode: () => child.exitCode,
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    call: async (method, route, body) => {
      const reply = await fetch(`${url}${route}`, {
        method,
        headers: { "x-api-key": key, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: reply.status, body: await reply.json() };
    },
  };
}

/** Starts the server and kills it after so long, ready or not. */
export async function killServerAtStart(
  dataDirectory: string,
  settings: Readonly<Record<string, string>>,
  afterMs: number,
): Promise<void> {
  const child = spawnServer(dataDirectory, { QUARRY_PORT: "0", ...settings });
  const exited = exitOf(child);
  collect(child); // or its pipes fill
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await exited;
}

/** Runs the server program to its end, for starts that are refused. */
export async function runServerProgram(
  dataDirectory: string,
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawnServer(dataDirectory, settings, args);
  const output = collect(child);
  const code = await exitOf(child);
  return { code, stdout: output.stdout(), stderr: output.stderr() };
}

function spawnServer(
  dataDirectory: string,
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): ChildProcess {
  if (!existsSync(serverProgram)) throw new Error("dist/server.js is missing: run `npm run build`");
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("QUARRY_")));
  return spawn(process.execPath, [serverProgram, ...args], {
    cwd: dataDirectory,
    // Most tests want a store of their own pages; those of the sample ask for it.
    env: { ...env, QUARRY_DATA_DIR: dataDirectory, QUARRY_LOG_LEVEL: "info", QUARRY_SAMPLE: "0", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function collect(child: ChildProcess): { readonly stdout: () => string; readonly stderr: () => string } {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return { stdout: () => stdout, stderr: () => stderr };
}

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once("close", (code) => resolve(code)));
}
