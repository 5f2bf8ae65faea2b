import type { Table } from "@lancedb/lancedb";
import { Lock } from "../lock.ts";
import { deleteByKey, MAX_BATCH_ROWS } from "../tables/find-keys.ts";
import type { IndexTables, Segment } from "../tables/index-tables.ts";
import { KeyFilter } from "../tables/key-filter.ts";

/** A page that got a newer row, or a mark of removal: what is older may go. */
export interface ReplacedPage {
  readonly key: string;
  /** Versions lower than this are old. */
  readonly below: number;
  /** The sealed tables that have an old row; those in memory are hidden by the newer one. */
  readonly segments: readonly string[];
}

/** What the writer asks of its surroundings. */
export interface IndexWriterOptions {
  readonly now: () => Date;
  /** Called after writes; start what is due, without waiting for it. */
  readonly tendPages: () => void;
  readonly tendChunks: () => void;
  /** Resolves when memory has room for more; a bulk load waits here. */
  readonly keepUp: () => Promise<void>;
}

/**
 * What writes share. Two locks: pages are written, and tables change places, under the first; the table of chunks is
 * written and optimised under the second, which may take seconds. Who needs both takes that of the chunks first.
 * Old rows are deleted after the write that replaced them; until then searches pass them over, because the newer row
 * is in memory. No table leaves memory before the rows it replaces are gone.
 */
export class IndexWriter {
  readonly tables: IndexTables;
  readonly #options: IndexWriterOptions;
  readonly #pageLock = new Lock();
  readonly #chunkLock = new Lock();
  readonly #keyFilters = new Map<string, Promise<KeyFilter>>();
  /** Old rows to delete, by sealed table. */
  readonly #oldPages = new Map<string, Map<string, number>>();
  #oldChunks = new Map<string, number>();
  /** While tables are merged: what left them meanwhile, to be left out of the new one too. */
  #leftSinceMergeBegan: Map<string, number> | undefined;

  constructor(tables: IndexTables, options: IndexWriterOptions) {
    this.tables = tables;
    this.#options = options;
  }

  now(): Date {
    return this.#options.now();
  }

  exclusively<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#pageLock.run(task);
  }

  exclusivelyOnChunks<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#chunkLock.run(task);
  }

  get hasOldRows(): boolean {
    return this.#oldPages.size + this.#oldChunks.size > 0;
  }

  /** Which keys a sealed table may have. */
  keyFilterOf({ entry, table }: Segment): Promise<KeyFilter> {
    const known = this.#keyFilters.get(entry.name);
    if (known !== undefined) return known;
    const filter = KeyFilter.read(table);
    this.#keyFilters.set(entry.name, filter);
    filter.catch(() => this.#keyFilters.delete(entry.name)); // the caller has the error; the next one tries again
    const live = new Set(this.tables.view.segments.map((segment) => segment.entry.name));
    for (const name of this.#keyFilters.keys()) if (!live.has(name)) this.#keyFilters.delete(name);
    return filter;
  }

  /** Notes that pages have newer rows. Call it under the page lock. */
  replaced(pages: readonly ReplacedPage[]): void {
    for (const { key, below, segments } of pages) {
      for (const name of segments) {
        const old = this.#oldPages.get(name) ?? new Map<string, number>();
        this.#oldPages.set(name, old.set(key, below));
      }
      this.#oldChunks.set(key, below);
    }
  }

  tendPagesSoon(): void {
    this.#options.tendPages();
  }

  tendChunksSoon(): void {
    this.#options.tendChunks();
  }

  keepUp(): Promise<void> {
    return this.#options.keepUp();
  }

  /** Deletes the old rows noted until now, a few under the lock at a time, so that writes go on. */
  async deleteOldRows(): Promise<void> {
    while (this.#oldPages.size > 0) await this.exclusively(() => this.#deleteSomeOldPages());
    if (this.#oldChunks.size > 0) await this.exclusivelyOnChunks(() => this.#deleteOldChunks());
  }

  /** From here on, notes what leaves the sealed tables. */
  beginMerge(): void {
    this.#leftSinceMergeBegan = new Map();
  }

  /** Deletes from the merged table what left its sources meanwhile. Call it under the page lock. */
  async finishMerge(table: Table): Promise<void> {
    while (this.#oldPages.size > 0) await this.#deleteSomeOldPages();
    await deleteByKey(table, toEntries(this.#leftSinceMergeBegan ?? new Map<string, number>()));
    this.#leftSinceMergeBegan = undefined;
  }

  abandonMerge(): void {
    this.#leftSinceMergeBegan = undefined;
  }

  async #deleteSomeOldPages(): Promise<void> {
    const [first] = this.#oldPages;
    if (first === undefined) return;
    const [name, old] = first;
    const entries = toEntries(old).slice(0, MAX_BATCH_ROWS);
    const segment = this.tables.view.segments.find(({ entry }) => entry.name === name);
    if (segment !== undefined) await deleteByKey(segment.table, entries);
    for (const { key, below } of entries) {
      this.#leftSinceMergeBegan?.set(key, below);
      old.delete(key);
    }
    if (old.size === 0) this.#oldPages.delete(name);
  }

  async #deleteOldChunks(): Promise<void> {
    const old = this.#oldChunks;
    this.#oldChunks = new Map();
    try {
      await deleteByKey(this.tables.view.chunks.table, toEntries(old));
    } catch (error) {
      this.#oldChunks = new Map([...old, ...this.#oldChunks]); // still to do
      throw error;
    }
  }
}

function toEntries(versions: ReadonlyMap<string, number>): readonly { readonly key: string; readonly below: number }[] {
  return Array.from(versions, ([key, below]) => ({ key, below }));
}
