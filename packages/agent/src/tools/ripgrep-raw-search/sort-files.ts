import { statSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import path from "node:path";
import type { Sort } from "./search-args.ts";

/** How many files are compared by their times; of more, the first ones found are. */
export const MAX_COMPARED = 10_000;
/** How many files are looked at before others get a turn. */
const SLICE = 1_000;

/** Puts files in order, the way a search asks for; ones past the most that are compared come last. */
export async function sortFiles(
  directory: string,
  files: readonly string[],
  order: { readonly sort: Sort; readonly isAscending: boolean },
): Promise<readonly string[]> {
  if (order.sort === "none") return files;
  const most = order.sort === "path" ? files.length : MAX_COMPARED;
  const sorted = await inOrder(directory, files.slice(0, most), order.sort);
  return [...(order.isAscending ? sorted : sorted.toReversed()), ...files.slice(most)];
}

async function inOrder(directory: string, files: readonly string[], sort: Sort): Promise<readonly string[]> {
  const time = TIMES[sort];
  if (time === undefined) return files.toSorted();
  const dated: { readonly file: string; readonly at: number }[] = [];
  for (const [index, file] of files.entries()) {
    const found = statSync(path.join(directory, file), { throwIfNoEntry: false });
    dated.push({ file, at: found === undefined ? 0 : time(found) });
    if (index % SLICE === SLICE - 1) await setImmediate();
  }
  return dated.sort((a, b) => a.at - b.at || (a.file < b.file ? 1 : -1)).map(({ file }) => file);
}

const TIMES: Readonly<Partial<Record<Sort, (found: Stats) => number>>> = {
  modified: ({ mtimeMs }) => mtimeMs,
  accessed: ({ atimeMs }) => atimeMs,
  created: ({ birthtimeMs }) => birthtimeMs,
};
