import type { Table } from "@lancedb/lancedb";
import { MemoryChunks } from "./memory-chunks.ts";

/** Chunks kept in memory at most: of 384 numbers each, 18 MB. A search compares as many in seven milliseconds. */
export const DEFAULT_MEMORY_CHUNKS = 12_000;
/** While vectors are being written, each write would mean reading them all again. */
const AT_REST_MS = 1_000;

/**
 * The chunks of a table in memory, when there are few enough and the table is at rest. A search never waits for them:
 * until they are there, and whenever the table has changed since the last look, the engine answers.
 */
export class ChunkMemory {
  readonly #table: Table;
  readonly #dimensions: number;
  readonly #maxChunks: number;
  #loaded: { readonly version: number; readonly chunks: MemoryChunks | undefined } | undefined;
  #seen: { readonly version: number; readonly sinceMs: number } | undefined;
  #isLoading = false;
  #isBehind = true;

  constructor(table: Table, options: { readonly dimensions: number; readonly maxChunks: number }) {
    this.#table = table;
    this.#dimensions = options.dimensions;
    this.#maxChunks = options.maxChunks;
  }

  /** The chunks as the table had them at the last look; undefined when the engine is to be asked. */
  current(): MemoryChunks | undefined {
    return this.#isBehind ? undefined : this.#loaded?.chunks;
  }

  /** Looks whether the table has changed, and begins to read it when it is at rest. Ends before that is done. */
  async look(): Promise<void> {
    if (this.#maxChunks === 0) return;
    const version = await this.#table.version();
    this.#isBehind = this.#loaded?.version !== version;
    if (!this.#isBehind) return;
    const nowMs = performance.now();
    const isFirst = this.#seen === undefined;
    if (this.#seen?.version !== version) this.#seen = { version, sinceMs: nowMs };
    if (isFirst || nowMs - this.#seen.sinceMs >= AT_REST_MS) void this.#load(version);
  }

  async #load(version: number): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#loaded = undefined;
      const count = await this.#table.countRows();
      const chunks = count > this.#maxChunks ? undefined : await MemoryChunks.read(this.#table, this.#dimensions);
      if ((await this.#table.version()) !== version) return; // the next look begins again
      this.#loaded = { version, chunks };
      this.#isBehind = false;
    } catch {
      // The table was closed or replaced meanwhile: the engine is asked, and says so to whoever searches.
    } finally {
      this.#isLoading = false;
    }
  }
}
