import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** One process as the kernel shows it. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** One letter: R runs, S sleeps. */
  readonly state: string;
  readonly group: number;
  /** The group that its terminal listens to. */
  readonly foregroundGroup: number;
}

/** All processes that a process has started, and their children, itself first. Empty where there is no /proc. */
export function processTree(root: number): readonly ProcessFacts[] {
  const all = listProcesses();
  const tree = all.filter(({ pid }) => pid === root);
  // The list grows while it is walked: children of children are found in turn.
  for (const parent of tree) tree.push(...all.filter((each) => each.parent === parent.pid));
  return tree;
}

/**
 * Whether some process of a tree waits for someone to type: it sleeps in a read of
 * the terminal, and the terminal would give it what is typed.
 */
export function waitsForInput(tree: readonly ProcessFacts[]): boolean {
  return tree.some(({ pid, state, group, foregroundGroup }) => {
    if (state !== "S" || group !== foregroundGroup) return false;
    const [call, handle] = read(`/proc/${pid}/syscall`).split(" ");
    if (call !== READ_CALL[process.arch] || handle === undefined) return false;
    return TERMINAL.test(linkOf(`/proc/${pid}/fd/${Number(handle)}`));
  });
}

/** The TCP ports that processes of a tree listen on: what serves something is not going to end by itself. */
export function listeningPorts(tree: readonly ProcessFacts[]): readonly number[] {
  const ports = new Set<number>();
  for (const { pid } of tree) {
    const inodes = socketsOf(pid);
    if (inodes.size === 0) continue;
    for (const table of ["tcp", "tcp6"]) {
      for (const line of read(`/proc/${pid}/net/${table}`).split("\n").slice(1)) {
        const fields = line.trim().split(/\s+/);
        const port = Number.parseInt(fields[1]?.split(":")[1] ?? "", 16);
        if (fields[3] === LISTENS && inodes.has(fields[9] ?? "") && port > 0) ports.add(port);
      }
    }
  }
  return [...ports].toSorted((a, b) => a - b);
}

/** Every process that carries a mark in the environment it was started with. */
export function findMarked(mark: string): readonly number[] {
  return listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => pid !== process.pid && `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${mark}\0`));
}

/** The name of the program that a process runs; empty when it is gone. */
export function programOf(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

/** When a process was started, in the kernel's own count; undefined when it is gone. With its number it names one process. */
export function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

/** The processes of shells whose server is gone, by the mark of their owner: `NAME=pid:start`. */
export function findOrphans(ownerVariable: string): readonly number[] {
  return listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => {
      const prefix = `\0${ownerVariable}=`;
      const environment = `\0${read(`/proc/${pid}/environ`)}`;
      const at = environment.indexOf(prefix);
      if (at === -1) return false;
      const [owner, start] =
        environment
          .slice(at + prefix.length)
          .split("\0", 1)[0]
          ?.split(":") ?? [];
      return startOf(Number(owner)) !== start;
    });
}

const READ_CALL: Readonly<Partial<Record<string, string>>> = { x64: "0", arm64: "63" };
const TERMINAL = /^\/dev\/(pts\/\d+|tty|console)$/;
/** TCP_LISTEN in /proc/net/tcp. */
const LISTENS = "0A";

function listProcesses(): readonly ProcessFacts[] {
  return names("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`);
      const [state = "", parent, group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (parent === undefined) return [];
      const facts = { parent: Number(parent), group: Number(group), foregroundGroup: Number(foregroundGroup) };
      return [{ pid: Number(name), state, ...facts }];
    });
}

function socketsOf(pid: number): ReadonlySet<string> {
  const links = names(`/proc/${pid}/fd`).map((name) => linkOf(`/proc/${pid}/fd/${name}`));
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** Processes end while they are looked at, and some are not ours to look at: both say nothing. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}

function names(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
