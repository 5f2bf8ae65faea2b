import type { Table } from "@lancedb/lancedb";

/** Counts are used so long. */
const FRESH_MS = 5_000;
const MAX_CONDITIONS = 500;

/** How many rows of a table meet a condition, or met it a moment ago: good enough to plan by. */
export class CountCache {
  readonly #table: Table;
  readonly #counts = new Map<string, { readonly count: number; readonly atMs: number }>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** All rows when there is no condition. */
  async count(condition?: string): Promise<number> {
    const name = condition ?? "";
    const known = this.#counts.get(name);
    if (known !== undefined && performance.now() - known.atMs < FRESH_MS) return known.count;
    const count = await this.#table.countRows(condition);
    if (this.#counts.size >= MAX_CONDITIONS) this.#counts.clear();
    this.#counts.set(name, { count, atMs: performance.now() });
    return count;
  }
}
