import type { Connection, Table } from "@lancedb/lancedb";
import { setImmediate } from "node:timers/promises";
import type { TermStatistics } from "../pages/bm25.ts";
import { MemoryPages } from "../pages/memory-pages.ts";
import type { PageRow } from "../pages/page-row.ts";
import { TermCounts } from "../pages/term-counts.ts";
import {
  readCatalog,
  writeCatalog,
  type CatalogContents,
  type ChunkTableEntry,
  type PageTableEntry,
} from "./catalog.ts";
import { ChunkMemory, DEFAULT_MEMORY_CHUNKS } from "./chunk-memory.ts";
import { CountCache } from "./count-cache.ts";
import { inBatches } from "./find-keys.ts";
import { readPagesAfter } from "./page-table.ts";
import { RowMemory } from "./row-memory.ts";
import { TeamScope } from "./team-scope.ts";

/** Another index lies where the one that is open was: open it anew. */
export class IndexReplacedError extends Error {
  override readonly name = "IndexReplacedError";
  constructor() {
    super("the search index was built anew");
  }
}

/** A table that the engine searches. */
export interface Segment {
  readonly entry: PageTableEntry;
  readonly table: Table;
  readonly teams: TeamScope;
  /** What searches show of its pages. */
  readonly rows: RowMemory;
}

/** A table that is searched in memory. */
export interface Tail {
  readonly entry: PageTableEntry;
  readonly table: Table;
  readonly pages: MemoryPages;
  /** Number of the last batch that memory has. */
  lastBatch: number;
}

/** The chunks of the model in use. */
export interface Chunks {
  readonly entry: ChunkTableEntry;
  readonly table: Table;
  readonly counts: CountCache;
  readonly memory: ChunkMemory;
  /** What searches show of each chunk, where there are too many for `memory`. */
  readonly rows: RowMemory;
}

/** What one search looks at: never changed, so that a search sees one state from beginning to end. */
export interface IndexView {
  readonly segments: readonly Segment[];
  /** Oldest first; the last is active. */
  readonly tails: readonly Tail[];
  readonly chunks: Chunks;
  readonly statistics: TermStatistics;
}

/** Which table of chunks is searched, and how many of them memory may hold. */
export interface ChunkTableOptions {
  readonly chunkTable: string;
  readonly memoryChunks?: number | undefined;
}

/** The tables of an open index, and the view made of them. */
export class IndexTables {
  readonly connection: Connection;
  readonly #catalogTable: Table;
  readonly #chunkTable: string;
  readonly #memoryChunks: number;
  #contents: CatalogContents;
  #catalogVersion: number;
  #view: IndexView | undefined;
  #sealedCounts: { readonly names: string; readonly counts: TermCounts } | undefined;

  private constructor(
    connection: Connection,
    catalogTable: Table,
    catalog: {
      readonly contents: CatalogContents;
      readonly version: number;
      readonly chunkTable: string;
      readonly memoryChunks: number;
    },
  ) {
    this.connection = connection;
    this.#catalogTable = catalogTable;
    this.#contents = catalog.contents;
    this.#catalogVersion = catalog.version;
    this.#chunkTable = catalog.chunkTable;
    this.#memoryChunks = catalog.memoryChunks;
  }

  /** Opens what the catalog lists; `chunkTable` is the table of the model in use. */
  static async open(
    connection: Connection,
    catalogTable: Table,
    { chunkTable, memoryChunks = DEFAULT_MEMORY_CHUNKS }: ChunkTableOptions,
  ): Promise<IndexTables> {
    const version = await catalogTable.version();
    const contents = await readCatalog(catalogTable);
    const tables = new IndexTables(connection, catalogTable, { contents, version, chunkTable, memoryChunks });
    tables.#view = await tables.#makeView(undefined);
    return tables;
  }

  get contents(): CatalogContents {
    return this.#contents;
  }

  get view(): IndexView {
    if (this.#view === undefined) throw new Error("the index was not opened");
    return this.#view;
  }

  /** Writes a new catalog and looks at the tables it lists. Call it under the write lock. */
  async commit(contents: CatalogContents): Promise<void> {
    await writeCatalog(this.#catalogTable, contents);
    this.#catalogVersion = await this.#catalogTable.version();
    this.#contents = contents;
    this.#view = await this.#makeView(this.#view);
  }

  /**
   * Learns what another process or thread has written. Deletes are looked at before new rows: a page's old row goes
   * after its new one has come, so it is never missing. With `warm`, new tables are read before they are searched.
   */
  async refresh({ warm = false } = {}): Promise<void> {
    const before = this.view;
    await Promise.all([...before.segments, before.chunks].map(({ table }) => table.checkoutLatest()));
    await before.chunks.memory.look();
    await this.#catalogTable.checkoutLatest();
    const version = await this.#catalogTable.version();
    if (version !== this.#catalogVersion) {
      const contents = await readCatalog(this.#catalogTable);
      // Its tables bear the names of the old ones: what is open and in memory here would be taken for theirs.
      if (contents.catalog.id !== this.#contents.catalog.id) throw new IndexReplacedError();
      this.#contents = contents;
      this.#catalogVersion = version;
      this.#view = await this.#makeView(before, { warm });
    }
    for (const tail of this.view.tails) {
      await tail.table.checkoutLatest();
      await readTail(tail);
    }
  }

  close(): void {
    const { segments, tails, chunks } = this.view;
    for (const { table } of [...segments, ...tails, chunks]) table.close();
    this.#catalogTable.close();
    this.connection.close();
  }

  async #makeView(before: IndexView | undefined, { warm = false } = {}): Promise<IndexView> {
    const { catalog, termCounts } = this.#contents;
    const open = new Map(
      [...(before?.segments ?? []), ...(before?.tails ?? [])].map((one) => [one.entry.name, one.table]),
    );
    const tableOf = async (name: string): Promise<Table> => open.get(name) ?? this.connection.openTable(name);
    const segments: Segment[] = [];
    const tails: Tail[] = [];
    for (const entry of catalog.pageTables) {
      const table = await tableOf(entry.name);
      if (entry.state === "sealed") {
        await table.checkoutLatest(); // its index may be newer than this handle
        const known = before?.segments.find((segment) => segment.entry.name === entry.name);
        if (warm && known === undefined && entry.pageCount <= MAX_WARMED_PAGES) await warmWords(table);
        segments.push(known === undefined ? openSegment(entry, table) : { ...known, entry });
      } else {
        const known = before?.tails.find((tail) => tail.entry.name === entry.name);
        const tail = { entry, table, pages: known?.pages ?? new MemoryPages(), lastBatch: known?.lastBatch ?? 0 };
        if (known === undefined) await readTail(tail);
        tails.push(tail);
      }
    }
    const chunkEntry = catalog.chunkTables.find(({ name }) => name === this.#chunkTable);
    if (chunkEntry === undefined) throw new Error(`the catalog has no table ${this.#chunkTable}`);
    const chunkTable = before?.chunks.table ?? (await tableOf(chunkEntry.name));
    const chunks = {
      entry: chunkEntry,
      table: chunkTable,
      counts: before?.chunks.counts ?? new CountCache(chunkTable),
      rows: before?.chunks.rows ?? new RowMemory(chunkTable, CHUNK_FACTS),
      memory:
        before?.chunks.memory ??
        new ChunkMemory(chunkTable, { dimensions: chunkEntry.dimensions, maxChunks: this.#memoryChunks }),
    };
    await chunks.table.checkoutLatest();
    const names = segments.map(({ entry }) => entry.name).join(" ");
    if (this.#sealedCounts?.names !== names) {
      this.#sealedCounts = { names, counts: await sumCounts(segments, termCounts) };
    }
    return { segments, tails, chunks, statistics: toStatistics(segments, tails, this.#sealedCounts.counts) };
  }
}

/** A bulk load brings tables of some thousand pages; large ones come of a merge, and are read from the disk as they are asked. */
const MAX_WARMED_PAGES = 20_000;

/** Reads a table's index by words before the first search needs it. */
async function warmWords(table: Table): Promise<void> {
  for (const { name, columns } of await table.listIndices()) {
    if (columns.includes("text")) await table.prewarmIndex(name);
  }
}

function openSegment(entry: PageTableEntry, table: Table): Segment {
  return { entry, table, teams: new TeamScope(table), rows: new RowMemory(table, ["facts"]) };
}

/** The columns that say which page and which part of it a chunk is. */
export const CHUNK_FACTS = ["number", "start", "end", "facts"] as const;

/** The newest row in memory for a key, a mark of removal among them. */
export function findInTails(tails: readonly Tail[], key: string): PageRow | undefined {
  for (let place = tails.length - 1; place >= 0; place -= 1) {
    const row = tails[place]?.pages.find(key);
    if (row !== undefined) return row;
  }
  return undefined;
}

/** Whether a row of one tail is replaced by one of a newer tail. */
export function isReplaced(tails: readonly Tail[], tail: Tail, row: PageRow): boolean {
  return findInTails(tails.slice(tails.indexOf(tail) + 1), row.key) !== undefined;
}

/** A few rows at a time: whoever searches in this thread waits for no more. */
async function readTail(tail: Tail): Promise<void> {
  for (const batch of inBatches(await readPagesAfter(tail.table, tail.lastBatch), ROWS_AT_ONE_GO)) {
    for (const { row, batch: number } of batch) {
      tail.pages.put(row);
      tail.lastBatch = number;
    }
    tail.pages.list(ROWS_AT_ONE_GO);
    await setImmediate();
  }
}

const ROWS_AT_ONE_GO = 20;

/** The counts of the sealed tables, which stay, and of memory, which still change. */
function toStatistics(segments: readonly Segment[], tails: readonly Tail[], sealed: TermCounts): TermStatistics {
  const sum = (count: (entry: PageTableEntry) => number): number =>
    segments.reduce((total, { entry }) => total + count(entry), 0);
  const sealedPages = sum(({ pageCount }) => pageCount);
  const sealedTokens = sum(({ tokenCount }) => tokenCount);
  const inTails = (count: (pages: MemoryPages) => number): number =>
    tails.reduce((total, { pages }) => total + count(pages), 0);
  return {
    get pageCount() {
      return sealedPages + inTails(({ pageCount }) => pageCount);
    },
    get averageLength() {
      const tokens = sealedTokens + inTails(({ tokenCount }) => tokenCount);
      return tokens / Math.max(1, sealedPages + inTails(({ pageCount }) => pageCount));
    },
    pagesWith: (token) => sealed.pagesWith(token) + inTails((pages) => pages.pagesWith(token)),
  };
}

async function sumCounts(segments: readonly Segment[], packed: ReadonlyMap<string, Uint8Array>): Promise<TermCounts> {
  const sum = TermCounts.empty();
  for (const { entry } of segments) {
    const counts = packed.get(entry.name);
    if (counts !== undefined) sum.addAll(await TermCounts.unpack(counts));
  }
  return sum;
}
