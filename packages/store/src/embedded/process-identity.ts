import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";
import { postgresEnvironment } from "./postgres-environment.ts";

/** Enough to tell one process from every other, also from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started: clock ticks since boot, or a date where there is no /proc; null where neither can be had. */
  readonly startedAt: string | null;
  /** Which boot of which kernel, and which pid namespace on it: where the number means anything. */
  readonly world: string;
  readonly host: string;
}

/** Who we are. */
export async function identifyOurselves(): Promise<ProcessIdentity> {
  return {
    pid: process.pid,
    startedAt: (await readStart(process.pid)) ?? null,
    world: await readWorld(),
    host: hostname(),
  };
}

/**
 * Whether that process still runs. `unknown` when it ran under another kernel or
 * in another container, where its number says nothing to us.
 */
export async function findProcess(identity: ProcessIdentity): Promise<"running" | "gone" | "unknown"> {
  if (identity.world !== (await readWorld())) return "unknown";
  if (!isAlive(identity.pid)) return "gone";
  if (identity.startedAt === null) return "running";
  return (await readStart(identity.pid)) === identity.startedAt ? "running" : "gone";
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"; // another user's process
  }
}

/** When the process started; undefined for one that is gone or only waits to be buried. */
async function readStart(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return readStartFromProc(pid);
  return process.platform === "win32" ? undefined : readStartFromPs(pid);
}

/** Fields 3 and 22 of proc_pid_stat(5); the name before them may hold spaces and brackets. */
async function readStartFromProc(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined); // no such process
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ") ?? [];
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

/** As above for systems without /proc. */
export async function readStartFromPs(pid: number): Promise<string | undefined> {
  const answer = await promisify(execFile)("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
    ...postgresEnvironment(),
  }).catch(() => undefined); // no such process
  const [, state, start] = /^\s*(\S+)\s+(.+?)\s*$/.exec(answer?.stdout ?? "") ?? [];
  return state?.startsWith("Z") === true ? undefined : start;
}

async function readWorld(): Promise<string> {
  const [boot, namespace] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => undefined), // no /proc
    readlink("/proc/self/ns/pid").catch(() => undefined), // no namespaces
  ]);
  return boot === undefined ? hostname() : `${boot.trim()} ${namespace ?? ""}`.trim();
}
