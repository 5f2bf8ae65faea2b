import path from "node:path";

/** A directory as the walk found it: what lies in it, and what lies below. */
export interface Directory {
  readonly name: string;
  readonly directories: Map<string, Directory>;
  readonly files: string[];
}

/** A directory as it is shown. */
export interface ShownDirectory {
  /** Relative to where the tree begins; empty for its root. */
  readonly relative: string;
  readonly directories: readonly ShownDirectory[];
  readonly files: readonly string[];
  /** False when the budget left some of it out. */
  readonly isOpen: boolean;
  readonly fileCount: number;
  /** Of all files below, where it is not open. */
  readonly extensions: Readonly<Record<string, number>>;
}

/** What files without an extension are counted as. */
export const NO_EXTENSION = "(none)";

/** Makes a tree of paths with slashes; `directories` adds ones that hold no file. */
export function growTree(files: readonly string[], directories: readonly string[] = []): Directory {
  const root: Directory = { name: "", directories: new Map(), files: [] };
  const at = (parts: readonly string[]): Directory => {
    let directory = root;
    for (const name of parts) {
      let next = directory.directories.get(name);
      if (next === undefined) {
        next = { name, directories: new Map(), files: [] };
        directory.directories.set(name, next);
      }
      directory = next;
    }
    return directory;
  };
  for (const file of files) {
    const parts = file.split("/");
    at(parts.slice(0, -1)).files.push(parts.at(-1) ?? "");
  }
  for (const directory of directories) at(directory.split("/"));
  return root;
}

/**
 * Chooses what to show, level by level, within a budget of names: a directory
 * whose entries no longer fit stays closed and counts its files by extension, while
 * smaller ones after it are still opened. Of a root that is too large itself the
 * first entries are shown, directories before files.
 */
export function chooseEntries(
  root: Directory,
  options: { readonly budget: number; readonly depth: number },
): ShownDirectory {
  const opened = new Map<Directory, number>();
  let left = options.budget;
  let level: readonly Directory[] = [root];
  for (let depth = 0; depth < options.depth && level.length > 0; depth += 1) {
    const next: Directory[] = [];
    for (const directory of level) {
      const size = directory.directories.size + directory.files.length;
      const room = size <= left ? size : directory === root ? left : 0;
      if (room === 0 && size > 0) continue;
      opened.set(directory, room);
      left -= room;
      next.push(...sorted([...directory.directories.values()]).slice(0, room));
    }
    level = next;
  }
  return show(root, "", opened);
}

function show(directory: Directory, relative: string, opened: ReadonlyMap<Directory, number>): ShownDirectory {
  const room = opened.get(directory);
  const all = sorted([...directory.directories.values()]);
  const directories = all.slice(0, room ?? 0);
  const files = [...directory.files].sort().slice(0, Math.max(0, (room ?? 0) - directories.length));
  const isOpen = room !== undefined && directories.length === all.length && files.length === directory.files.length;
  const counts: Record<string, number> = {};
  const fileCount = count(directory, counts);
  return {
    relative,
    directories: directories.map((each) =>
      show(each, relative === "" ? each.name : `${relative}/${each.name}`, opened),
    ),
    files,
    isOpen,
    fileCount,
    extensions: isOpen ? {} : counts,
  };
}

function count(directory: Directory, counts: Record<string, number>): number {
  let sum = directory.files.length;
  for (const file of directory.files) {
    const extension = path.extname(file).toLowerCase() || NO_EXTENSION;
    counts[extension] = (counts[extension] ?? 0) + 1;
  }
  for (const below of directory.directories.values()) sum += count(below, counts);
  return sum;
}

function sorted(directories: readonly Directory[]): readonly Directory[] {
  return directories.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
