import { statSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Sort } from "./search-args.ts";

/** How many files are compared by their times; of more, the first ones found are. */
export const MAX_COMPARED = 10_000;
/** How many files are looked at before others get a turn. */
const SLICE = 500;

/** Files that are being found, to be put in the order that a search asks for. */
export interface FilesInOrder {
  /** Names one; its time is looked at while others are still searched for. */
  readonly add: (file: string) => void;
  /** Those of them that may be shown, in order; ones past the most that are compared come last. */
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
  const times = new Map<string, number>();
  const waiting: string[] = [];
  let looked = 0;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    while (looked < waiting.length) {
      await setImmediate();
      for (const file of waiting.slice(looked, looked + SLICE)) {
        const found = statSync(`${directory}/${file}`, { throwIfNoEntry: false });
        times.set(file, found === undefined ? 0 : time(found));
      }
      looked += SLICE;
    }
    looking = undefined;
  };
  return {
    add: (file) => {
      if (waiting.length < MAX_COMPARED) waiting.push(file);
      if (waiting.length % SLICE === 0) looking ??= look();
    },
    sort: async (shown) => {
      await looking;
      await look();
      const at = (file: string): number => times.get(file) ?? 0;
      const dated = shown.filter((file) => times.has(file));
      const sorted = dated.sort((a, b) => at(a) - at(b) || (a < b ? 1 : -1));
      return sorted.length === shown.length
        ? turned(sorted)
        : [...turned(sorted), ...shown.filter((file) => !times.has(file))];
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
