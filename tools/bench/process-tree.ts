import { readdirSync, readFileSync } from "node:fs";

/** Kernel ticks a second, the same on every Linux we run on. */
const TICKS_PER_SECOND = 100;

/** What a process and all below it use: the database is part of what a user runs. Linux only. */
export interface ProcessTreeUse {
  /** Memory they share counts once. */
  readonly residentMegabytes: number;
  /** The same by program: the root's own, `node` for those it started, `postgres`, … */
  readonly residentByProgram: Readonly<Record<string, number>>;
  /** Of the tree as it lives now, and of children that the root has outlived. */
  readonly cpuSeconds: number;
}

/** Reads what the process `root` and its descendants use now. */
export function readProcessTree(root: number): ProcessTreeUse {
  const tree = listProcessTree(root);
  const residentByProgram: Record<string, number> = {};
  for (const pid of tree) {
    const name = pid === root ? "root" : (/^Name:\s+(\S+)/m.exec(readProcess(pid, "status"))?.[1] ?? "gone");
    residentByProgram[name] = (residentByProgram[name] ?? 0) + residentKilobytes(pid) / 1_024;
  }
  return {
    residentMegabytes: Object.values(residentByProgram).reduce((sum, megabytes) => sum + megabytes, 0),
    residentByProgram,
    cpuSeconds: tree.reduce((sum, pid) => sum + cpuTicks(pid), 0) / TICKS_PER_SECOND,
  };
}

/** The processor time of every thread of the process `root` and its descendants, in seconds, by the thread's id. */
export function readThreadSeconds(root: number): ReadonlyMap<number, number> {
  const threads = new Map<number, number>();
  for (const pid of listProcessTree(root))
    for (const thread of listThreads(pid))
      threads.set(Number(thread), ticksOf(readProcess(pid, `task/${thread}/stat`), 2) / TICKS_PER_SECOND);
  return threads;
}

function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // it ended meanwhile
  }
}

function listProcessTree(root: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = /^PPid:\s+(\d+)$/m.exec(readProcess(Number(name), "status"))?.[1];
    parents.set(Number(name), Number(parent ?? 0));
  }
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(isBelow);
}

function residentKilobytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readProcess(pid, "smaps_rollup"))?.[1] ?? 0);
}

function cpuTicks(pid: number): number {
  return ticksOf(readProcess(pid, "stat"), 4);
}

/** The fields of proc_pid_stat(5) after the name, which may hold spaces: utime, stime, cutime and cstime are 14 to 17. */
function ticksOf(stat: string, fieldCount: 2 | 4): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 11 + fieldCount).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** A file of a process; empty when the process ended meanwhile. */
function readProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
