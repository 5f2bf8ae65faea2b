import { execFile } from "node:child_process";
import { readdir, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { sleep } from "@quarry/base";

const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 200;

/**
 * The ids of PostgreSQL processes that work in `cluster`: the postmaster and its
 * children, or children that outlived it. Where there is no /proc only the
 * postmaster is found.
 */
export async function findPostgresProcesses(cluster: string): Promise<readonly number[]> {
  if (process.platform === "win32") return [];
  const directory = await realpath(cluster).catch(() => undefined); // gone, and then nobody works in it
  if (directory === undefined) return [];
  return process.platform === "linux" ? findInProc(directory) : findByCommandLine(cluster);
}

/** Sends `signal`; a process that is gone already is fine. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Waits until no PostgreSQL process works in `cluster`; false when `limitMs` passed before. */
export async function waitForNoProcesses(cluster: string, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, LAST_POLL_MS)) {
    if ((await findPostgresProcesses(cluster)).length === 0) return true;
    if (performance.now() >= until) return false;
    await sleep(pollMs);
  }
}

/** Every process of a server has the cluster as its working directory. */
async function findInProc(directory: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        if ((await readlink(`/proc/${pid}/cwd`)) !== directory) return undefined;
        const program = path.basename(await readlink(`/proc/${pid}/exe`));
        return program.startsWith("postgres") ? Number(pid) : undefined;
      } catch {
        return undefined; // gone meanwhile, a zombie, or not ours to look at
      }
    }),
  );
  return found.filter((pid) => pid !== undefined);
}

/** The postmaster is started with the cluster on its command line. */
async function findByCommandLine(cluster: string): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-axo", "pid=,command="]);
  return stdout
    .split("\n")
    .filter((line) => line.includes("/postgres ") && line.includes(`-D ${cluster} `))
    .map((line) => Number.parseInt(line, 10));
}
