import { statSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Sort } from "./search-args.ts";

/** How many files are compared by their times; of more, the first ones found are. */
export const MAX_COMPARED = 5_000;
/** How many files are looked at before others get a turn. */
const SLICE = 500;

/** Files that are being found, to be put in the order that a search asks for. */
export interface FilesInOrder {
  /** Names one; its time is looked at while others are still searched for. */
  readonly add: (file: string) => void;
  /** Those of them that may be shown, given as they were found, in order; ones past the most that are compared come last. */
  readonly sort: (shown: readonly string[]) => Promise<readonly string[]>;
}

/** Begins a list of files below a directory. */
export function startFileOrder(
  directory: string,
  order: { readonly sort: Sort; readonly isAscending: boolean },
): FilesInOrder {
  const turned = (files: readonly string[]): readonly string[] => (order.isAscending ? files : files.toReversed());
  const time = TIMES[order.sort];
  if (time === undefined) {
    const sort = (shown: readonly string[]): readonly string[] =>
      order.sort === "none" ? shown : turned(sortPaths(shown));
    return { add: () => undefined, sort: (shown) => Promise.resolve(sort(shown)) };
  }
  const found: string[] = [];
  const times: number[] = [];
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    while (times.length < found.length) {
      await setImmediate();
      for (const file of found.slice(times.length, times.length + SLICE)) {
        const stats = statSync(`${directory}/${file}`, { throwIfNoEntry: false });
        times.push(stats === undefined ? 0 : time(stats));
      }
    }
    looking = undefined;
  };
  return {
    add: (file) => {
      if (found.length >= MAX_COMPARED) return;
      found.push(file);
      if (found.length % SLICE === 0) looking ??= look();
    },
    sort: async (shown) => {
      await looking;
      await look();
      // Both are in the order they were found in: walking along costs less than looking names up.
      const dated: { readonly file: string; readonly at: number }[] = [];
      for (const [index, file] of found.entries()) {
        if (shown[dated.length] === file) dated.push({ file, at: times[index] ?? 0 });
      }
      dated.sort((a, b) => a.at - b.at || (a.file < b.file ? 1 : -1));
      return [...turned(dated.map(({ file }) => file)), ...shown.slice(dated.length)];
    },
  };
}

/** Puts files that were all found in order. */
export function sortFiles(
  directory: string,
  files: readonly string[],
  order: { readonly sort: Sort; readonly isAscending: boolean },
): Promise<readonly string[]> {
  const inOrder = startFileOrder(directory, order);
  for (const file of files) inOrder.add(file);
  return inOrder.sort(files);
}

/** By directory, then by name within it: as ripgrep itself sorts, so that a page may come from either. */
export function sortPaths(files: readonly string[]): readonly string[] {
  // No name holds U+0000, and nothing comes before it.
  return files
    .map((file) => file.replaceAll("/", "\0"))
    .sort()
    .map((file) => file.replaceAll("\0", "/"));
}

const TIMES: Readonly<Partial<Record<Sort, (found: Stats) => number>>> = {
  modified: ({ mtimeMs }) => mtimeMs,
  accessed: ({ atimeMs }) => atimeMs,
  created: ({ birthtimeMs }) => birthtimeMs,
};
