import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { listFiles } from "./list-files.ts";
import { IGNORE_FILES, type ProtectedPaths } from "./protected-paths.ts";
import type { Ripgrep } from "./ripgrep.ts";

/** The files below a root that tools may see. */
export interface FileList {
  /** Relative to the root, in no order. */
  readonly files: readonly string[];
  /** Set when there were too many. */
  readonly isCut: boolean;
}

/** Lists the files of roots, and knows when a list still holds. */
export interface FileLists {
  /** The list of a root as it is now. The same object comes back while nothing changed. */
  readonly of: (root: string, signal: AbortSignal) => Promise<FileList>;
}

/** How long a list is used whose directories cannot all be watched. */
const UNWATCHED_MS = 2_000;
/** How many directories are looked at before a list is used again. */
const MAX_WATCHED = 20_000;
/** How many directories without a file are looked into; what lies below more of them is not watched. */
const MAX_EMPTY = 500;
/** Changes so close to a listing may have come before or after it. */
const CLOCK_TICK_MS = 50;
const MAX_KEPT = 20;
const RULE_FILES: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", ...IGNORE_FILES]);

interface Watched {
  readonly file: string;
  readonly version: string;
  readonly changedMs: number;
}

interface Kept {
  readonly list: FileList;
  /** What must still look the same: directories, whose time changes with their entries, and ignore files. */
  readonly watched: readonly Watched[];
  readonly listedAtMs: number;
  readonly isExact: boolean;
}

/**
 * Makes lists that are used again as long as every directory and ignore file they
 * came from looks the same, which costs a look at each directory instead of a walk.
 */
export function createFileLists(deps: {
  readonly ripgrep: Ripgrep;
  readonly protectedPaths: ProtectedPaths;
}): FileLists {
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Promise<FileList>>();

  const listAnew = async (root: string, signal: AbortSignal): Promise<FileList> => {
    const beganMs = Date.now();
    const list = await listFiles(deps, { root, below: "" }, signal);
    const { watched, isWhole } = watch(root, list.files);
    const isSettled = watched.every(({ changedMs }) => changedMs < beganMs - CLOCK_TICK_MS);
    if (kept.size >= MAX_KEPT) kept.clear();
    // A list that something changed beside is used this once.
    if (isSettled) kept.set(root, { list, watched, listedAtMs: beganMs, isExact: isWhole });
    else kept.delete(root);
    return list;
  };

  return {
    of: async (root, signal) => {
      const known = kept.get(root);
      if (known !== undefined && holds(known)) return known.list;
      const running = underWay.get(root);
      // One that began before this question may miss what its caller just did, so only the next one is shared.
      await running?.catch(() => undefined); // its own caller hears of it
      const fresh = kept.get(root);
      if (fresh !== undefined && fresh !== known && holds(fresh)) return fresh.list;
      const listing = listAnew(root, signal);
      underWay.set(root, listing);
      try {
        return await listing;
      } finally {
        if (underWay.get(root) === listing) underWay.delete(root);
      }
    },
  };
}

function holds({ watched, listedAtMs, isExact }: Kept): boolean {
  if (!isExact && Date.now() - listedAtMs > UNWATCHED_MS) return false;
  return watched.every(({ file, version }) => look(file).version === version);
}

/** Everything whose change may change the list. */
function watch(
  root: string,
  files: readonly string[],
): { readonly watched: readonly Watched[]; readonly isWhole: boolean } {
  const directories = new Set<string>([root]);
  const rules: string[] = rulesAbove(root);
  for (const file of files) {
    let at = file.lastIndexOf("/");
    if (RULE_FILES.has(file.slice(at + 1))) rules.push(path.join(root, file));
    for (; at > 0; at = file.lastIndexOf("/", at - 1)) {
      const directory = `${root}/${file.slice(0, at)}`;
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  if (directories.size > MAX_WATCHED) return { watched: [], isWhole: false };
  const { empty, isWhole } = directoriesWithout(directories);
  return { watched: [...directories, ...empty, ...rules].map(look), isWhole };
}

/** Directories beside the listed ones: empty so far, or left out. A file in them may be the next to be listed. */
function directoriesWithout(directories: ReadonlySet<string>): {
  readonly empty: readonly string[];
  readonly isWhole: boolean;
} {
  const empty: string[] = [];
  let waiting = [...directories];
  while (waiting.length > 0) {
    const next: string[] = [];
    for (const directory of waiting) {
      for (const below of directoriesIn(directory)) {
        if (directories.has(below)) continue;
        empty.push(below);
        // One that holds files itself is left out by an ignore file, and so is all below it.
        if (directoriesIn(below, { isBare: true }).length > 0) next.push(below);
        if (empty.length > MAX_EMPTY) return { empty, isWhole: false };
      }
    }
    waiting = next;
  }
  return { empty, isWhole: true };
}

/** The directories in one; none for `.git`, and with `isBare` none where there are also files. */
function directoriesIn(directory: string, options: { readonly isBare?: boolean } = {}): readonly string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    if (options.isBare === true && entries.some((entry) => !entry.isDirectory())) return [];
    return entries
      .filter((entry) => entry.isDirectory() && entry.name !== ".git")
      .map(({ name }) => `${directory}/${name}`);
  } catch {
    return []; // gone, or not ours to look into: nothing of it was listed
  }
}

/** Ignore files that hold for a root from further up, and the repository's own. */
function rulesAbove(root: string): string[] {
  const found = [path.join(root, ".git", "info", "exclude")];
  for (let at = path.dirname(root); ; at = path.dirname(at)) {
    for (const name of [".gitignore", ".ignore", ".rgignore"]) found.push(path.join(at, name));
    if (path.dirname(at) === at) return found;
  }
}

function look(file: string): Watched {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return { file, version: "", changedMs: 0 };
  return { file, version: `${found.mtimeMs} ${found.size} ${found.ino}`, changedMs: found.mtimeMs };
}
