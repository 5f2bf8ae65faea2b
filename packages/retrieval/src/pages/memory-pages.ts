import { matchesFilter } from "../filter/filter-page.ts";
import type { ParsedFilter } from "../filter/index-filter.ts";
import type { CompiledQuery } from "../query/word-query.ts";
import { inverseFrequency, saturatedCount, type TermStatistics } from "./bm25.ts";
import type { PageRow } from "./page-row.ts";
import { meetsConditions } from "./score-page.ts";
import { TokenPostings } from "./token-postings.ts";

/** A page in memory with its score. */
export interface ScoredRow {
  readonly row: PageRow;
  readonly score: number;
}

/**
 * The newest pages, searched in memory with the engine's own formula: written to a table already, not yet in its
 * index. Of one key the highest version counts; a removed page stays as a mark, so that no older one comes back.
 */
export class MemoryPages {
  readonly #rows: (PageRow | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly #postings = new TokenPostings();
  readonly #superseded: { readonly key: string; readonly version: number }[] = [];
  #listedUpTo = 0;
  #tokenCount = 0;
  #pageCount = 0;

  /** Pages and marks of removed ones. */
  get size(): number {
    return this.#slots.size;
  }

  /** Pages that can be found. */
  get pageCount(): number {
    return this.#pageCount;
  }

  get tokenCount(): number {
    return this.#tokenCount;
  }

  /** Rows that a newer one of the same table replaced. */
  get superseded(): readonly { readonly key: string; readonly version: number }[] {
    return this.#superseded;
  }

  find(key: string): PageRow | undefined {
    const slot = this.#slots.get(key);
    return slot === undefined ? undefined : this.#rows[slot];
  }

  /** The rows that count, marks of removed pages among them. */
  *rows(): Generator<PageRow> {
    for (const row of this.#rows) if (row !== undefined) yield row;
  }

  /** Takes a row unless its key has a higher version, or the same, already. */
  put(row: PageRow): void {
    const slot = this.#slots.get(row.key);
    const known = slot === undefined ? undefined : this.#rows[slot];
    if (known !== undefined && slot !== undefined) {
      const older = known.version < row.version ? known : row;
      if (known.version !== row.version) this.#superseded.push({ key: older.key, version: older.version });
      if (older !== known) return;
      this.#rows[slot] = undefined;
      if (known.text !== "") this.#pageCount -= 1;
      this.#tokenCount -= known.tokenCount;
    }
    this.#slots.set(row.key, this.#rows.length);
    this.#rows.push(row);
    if (row.text === "") return;
    this.#pageCount += 1;
    this.#tokenCount += row.tokenCount;
  }

  /** In how many pages a token is, or was before they were replaced. */
  pagesWith(token: string): number {
    this.list(Infinity);
    return this.#postings.pagesWith(token);
  }

  /** The best pages for a query, best first; those `isHidden` names are passed over. */
  search(
    query: CompiledQuery,
    filter: ParsedFilter,
    statistics: TermStatistics,
    options: { readonly limit: number; readonly isHidden: (row: PageRow) => boolean },
  ): readonly ScoredRow[] {
    this.list(Infinity);
    const found: ScoredRow[] = [];
    for (const [slot, score] of this.#scores(query, statistics)) {
      const row = this.#rows[slot];
      if (row === undefined || options.isHidden(row)) continue;
      if (matchesFilter(row, filter) && meetsConditions(row, query)) found.push({ row, score });
    }
    return found.sort((one, other) => other.score - one.score).slice(0, options.limit);
  }

  /** How many pages pass a filter. */
  count(filter: ParsedFilter, isHidden: (row: PageRow) => boolean): number {
    let count = 0;
    for (const row of this.rows()) {
      if (!row.isRemoved && !row.isDuplicate && !isHidden(row) && matchesFilter(row, filter)) count += 1;
    }
    return count;
  }

  #scores(query: CompiledQuery, statistics: TermStatistics): ReadonlyMap<number, number> {
    const scores = new Map<number, number>();
    const { averageLength } = statistics; // counted anew at every look
    if (query.scored.length === 0) {
      for (const [slot, row] of this.#rows.entries()) if (row !== undefined && row.text !== "") scores.set(slot, 0);
      return scores;
    }
    for (const token of query.scored) {
      const weight = inverseFrequency(statistics, token);
      this.#postings.forEachPage(token, (slot, count) => {
        const length = this.#rows[slot]?.tokenCount;
        if (length === undefined) return;
        const gained = weight * saturatedCount(count, length, averageLength);
        scores.set(slot, (scores.get(slot) ?? 0) + gained);
      });
    }
    return scores;
  }

  /**
   * Lists up to `limit` new rows by token. A search lists what is left; doing it before, a few at a time, keeps searches
   * quick. A process that only writes never does either.
   */
  list(limit: number): void {
    const end = Math.min(this.#rows.length, this.#listedUpTo + limit);
    for (; this.#listedUpTo < end; this.#listedUpTo += 1) {
      const text = this.#rows[this.#listedUpTo]?.text ?? "";
      if (text !== "") this.#postings.addText(this.#listedUpTo, text);
    }
  }
}
