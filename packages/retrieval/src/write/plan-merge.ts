import type { PageTableEntry } from "../tables/catalog.ts";

/** Tables are merged up to about this size; past it, writing one anew takes minutes. */
export const MAX_TABLE_TOKENS = 100_000_000;
/** So many tables of about one size become one; sizes differ by this factor. */
const TABLES_OF_ONE_SIZE = 4;

/** Beside a large table, a smaller one that holds less than this share of its tokens may stay. */
const SMALL_SHARE = 0.2;
const MAX_TABLES_AT_REST = 2;
/** What memory holds is searched there as long as it is less than this share of what it may hold. */
const SMALL_TAIL_SHARE = 0.1;

/** How eagerly to merge: while pages are being written, when none were for a while, or because somebody asked. */
export type MergeMode = "busy" | "idle" | "full";

/**
 * Which sealed tables to make one of, or none. Every search asks every table, so there should be few, also while a load
 * runs that nobody searches beside yet: whoever comes then would wait half a minute for a merge. Every merge writes its
 * tables anew, so that a page should be in few merges: four of a size become one of the next, and each page is written
 * again about once for every fourfold growth. An index at rest is left with one large table and at most one small one,
 * since a table costs a search nearly as much as one four times its size; `full` merges all that fit.
 */
export function planMerge(tables: readonly PageTableEntry[], mode: MergeMode): readonly PageTableEntry[] {
  const small = tables.filter(({ state, tokenCount }) => state === "sealed" && tokenCount < MAX_TABLE_TOKENS / 2);
  if (mode === "full") return upToLimit(small, 2);
  if (mode === "idle") return planAtRest(small);
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

/**
 * Whether an index at rest hands what is in memory to the engine: when there is enough of it, and it would become part
 * of a larger table at once. A table of its own would cost searches more than memory does.
 */
export function isTailDue(
  tables: readonly PageTableEntry[],
  tail: { readonly tokenCount: number; readonly sealTokens: number },
): boolean {
  if (tail.tokenCount < tail.sealTokens * SMALL_TAIL_SHARE) return false;
  const sealed = tables.map((entry) =>
    entry.state === "active" ? { ...entry, state: "sealed" as const, tokenCount: tail.tokenCount } : entry,
  );
  const active = tables.find(({ state }) => state === "active");
  return planMerge(sealed, "idle").some(({ name }) => name === active?.name);
}

/** The small ones alone, where they are small beside the largest even together. */
function planAtRest(tables: readonly PageTableEntry[]): readonly PageTableEntry[] {
  const bySize = tables.toSorted((one, other) => other.tokenCount - one.tokenCount);
  const [largest, ...others] = bySize;
  const rest = others.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  if (rest > (largest?.tokenCount ?? 0) * SMALL_SHARE) return upToLimit(tables, 2);
  return tables.length > MAX_TABLES_AT_REST ? upToLimit(others, 2) : [];
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
