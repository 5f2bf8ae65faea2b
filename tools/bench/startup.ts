import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Benchmark } from "./benchmark.ts";
import { readProcessTree } from "./process-tree.ts";

/** Starts of each kind at full size; the median counts. */
const STARTS = 5;
const READY_WITHIN_MS = 60_000;

/** How long until a first and a later start are ready, and what the idle process holds with its models loaded. */
export const startupBenchmark: Benchmark = {
  name: "startup",
  run: async ({ size, progress }) => {
    const starts = Math.max(1, Math.round(STARTS * size));
    const first: number[] = [];
    const later: number[] = [];
    const memory: number[] = [];
    for (let round = 0; round < starts; round += 1) {
      progress(`startup: round ${round + 1} of ${starts}`);
      const directory = mkdtempSync(path.join(tmpdir(), "quarry-bench-"));
      try {
        first.push((await startOnce(directory)).readyMs);
        const second = await startOnce(directory);
        later.push(second.readyMs);
        memory.push(second.residentMegabytes);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }
    const figures = {
      firstStartMs: median(first),
      laterStartMs: median(later),
      idleMegabytes: median(memory),
    };
    return {
      figures,
      tables: [
        {
          title: "Startup (median; promise)",
          columns: ["", "measured", "promise"],
          rows: [
            ["first start, ready after", `${figures.firstStartMs.toFixed(0)} ms`, "15000 ms"],
            ["later start, ready after", `${figures.laterStartMs.toFixed(0)} ms`, "3000 ms"],
            ["idle memory, models loaded", `${figures.idleMegabytes.toFixed(0)} MB`, "550 MB"],
          ],
        },
      ],
    };
  },
};

async function startOnce(directory: string): Promise<{ readonly readyMs: number; readonly residentMegabytes: number }> {
  const port = await freePort();
  const began = performance.now();
  const server = spawn(process.execPath, ["dist/server.js"], {
    env: { ...process.env, QUARRY_PORT: String(port), QUARRY_DATA_DIR: directory, QUARRY_LOG_LEVEL: "warn" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await waitUntilReady(port, server);
    const readyMs = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // what was only needed to start is given back
    return { readyMs, residentMegabytes: readProcessTree(server.pid ?? 0).residentMegabytes };
  } finally {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  }
}

async function waitUntilReady(port: number, server: ChildProcess): Promise<void> {
  for (const end = performance.now() + READY_WITHIN_MS; performance.now() < end;) {
    if (server.exitCode !== null) throw new Error(`the server exited with ${server.exitCode}`);
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (reply) => reply.ok,
      () => false, // not listening yet
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`the server was not ready within ${READY_WITHIN_MS} ms`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
