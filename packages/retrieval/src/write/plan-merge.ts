import type { PageTableEntry } from "../tables/catalog.ts";

/** Tables are merged up to about this size; past it, writing one anew takes minutes. */
export const MAX_TABLE_TOKENS = 100_000_000;
/** So many tables of about one size become one; sizes differ by this factor. */
const TABLES_OF_ONE_SIZE = 8;

/** Beside a table, smaller ones that hold less than this share of its pages may stay, if they are few. */
const SMALL_SHARE = 0.2;
const MAX_TABLES_AT_REST = 3;

/** How eagerly to merge: while pages are being written, when none were for a while, or because somebody asked. */
export type MergeMode = "busy" | "idle" | "full";

/**
 * Which sealed tables to make one of, or none. Every search asks every table, so there should be few; every merge
 * writes its tables anew, so that a page should be in few merges: eight of a size become one of the next, and each page
 * is written again about once for every eightfold growth. An index at rest is left with one large table and a few
 * small ones; `full` merges all that fit.
 */
export function planMerge(tables: readonly PageTableEntry[], mode: MergeMode): readonly PageTableEntry[] {
  const small = tables.filter(({ state, tokenCount }) => state === "sealed" && tokenCount < MAX_TABLE_TOKENS / 2);
  if (mode === "full" || (mode === "idle" && isScattered(small))) return upToLimit(small, 2);
  const bySize = new Map<number, PageTableEntry[]>();
  for (const table of small) {
    const size = Math.floor(Math.log(Math.max(1, table.tokenCount)) / Math.log(TABLES_OF_ONE_SIZE));
    bySize.set(size, [...(bySize.get(size) ?? []), table]);
  }
  const due = [...bySize]
    .filter(([, group]) => group.length >= TABLES_OF_ONE_SIZE)
    .sort(([one], [other]) => one - other);
  return upToLimit(due[0]?.[1] ?? [], TABLES_OF_ONE_SIZE);
}

function isScattered(tables: readonly PageTableEntry[]): boolean {
  const sizes = tables.map(({ tokenCount }) => tokenCount);
  const largest = Math.max(0, ...sizes);
  const rest = sizes.reduce((sum, size) => sum + size, 0) - largest;
  return tables.length > MAX_TABLES_AT_REST || rest > largest * SMALL_SHARE;
}

/** The smallest first, as many as fit; none when those are fewer than `least`. */
function upToLimit(tables: readonly PageTableEntry[], least: number): readonly PageTableEntry[] {
  let tokens = 0;
  const chosen = tables
    .toSorted((one, other) => one.tokenCount - other.tokenCount)
    .filter(({ tokenCount }) => {
      if (tokens + tokenCount > MAX_TABLE_TOKENS) return false;
      tokens += tokenCount;
      return true;
    });
  return chosen.length < least ? [] : chosen;
}
