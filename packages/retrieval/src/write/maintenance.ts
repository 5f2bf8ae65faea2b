import type { OptimizeReport } from "../search-index.ts";
import { cleanTables, dropRetiredTables, findWornTables, type CleanedTable } from "./clean-up.ts";
import type { IndexWriter } from "./index-writer.ts";
import { mergeTables } from "./merge-tables.ts";
import { planMerge, type MergeMode } from "./plan-merge.ts";
import { finishSealing, startSealing } from "./seal-table.ts";
import { tendChunks } from "./tend-chunks.ts";

/** When memory holds so many tokens (about 8,000 pages of 300 words, 60 MB), they go to the engine. */
export const DEFAULT_SEAL_TOKENS = 2_500_000;
/** A bulk load waits when memory holds so many times that. */
const MEMORY_FACTOR = 4;
/** Chunks are looked after at most so often, unless asked to. */
const CHUNK_PAUSE_MS = 2_000;
/** After so long without a write of pages, tables are merged more eagerly. */
const IDLE_AFTER_MS = 30_000;
/** What is due with time alone (old files, tables at rest) is looked for so often. */
const LOOK_EVERY_MS = 60_000;

/** How maintenance is done. */
export interface MaintenanceOptions {
  readonly sealTokens: number;
  /** False: only `optimize` does anything. */
  readonly isAutomatic: boolean;
  /** Told when work in the background failed; it is tried again after the next write. */
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the index fast while it is written to: seals the table in memory when it is full, deletes rows that newer ones
 * replaced, merges tables, trains and extends the vector index, drops what is out of use. Two lanes, each one thing
 * at a time: what must not wait (sealing, deletes), and what takes long (merges, vectors).
 */
export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #stop = new AbortController();
  #writer: IndexWriter | undefined;
  #pageLane: Promise<void> | undefined;
  #longLane: Promise<void> | undefined;
  #arePagesDue = false;
  #isLongDue = false;
  #chunksTendedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #writtenMs = 0;
  readonly #cleaned = new Map<string, CleanedTable>();
  #report = { sealedTables: 0, mergedTables: 0, droppedTables: 0, hasIndexedChunks: false };

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /** Once, before anything else: the writer needs this for its own making. */
  attach(writer: IndexWriter): void {
    this.#writer = writer;
  }

  /** Starts what is due after a write of pages. */
  tendPages(): void {
    if (!this.#options.isAutomatic || this.#stop.signal.aborted) return;
    this.#writtenMs = performance.now();
    this.#timer ??= setInterval(() => this.tendLong(), LOOK_EVERY_MS).unref();
    this.#arePagesDue = true;
    this.#pageLane ??= this.#runPageLane().finally(() => (this.#pageLane = undefined));
  }

  /** Starts what is due after a write of chunks, or of many pages. */
  tendLong(): void {
    if (!this.#options.isAutomatic || this.#stop.signal.aborted) return;
    this.#isLongDue = true;
    this.#longLane ??= this.#runLongLane().finally(() => (this.#longLane = undefined));
  }

  /** Resolves when memory has room for more. */
  async keepUp(): Promise<void> {
    const limit = this.#options.sealTokens * MEMORY_FACTOR;
    while (this.#options.isAutomatic && this.#pageLane !== undefined && this.#tokensInMemory() > limit) {
      await this.#pageLane;
      if (this.#tokensInMemory() > limit) return; // it failed and said so; the write itself is safe
    }
  }

  /** Does everything that is due and waits for it; what another call has begun is waited for, not done twice. */
  async optimize(options: {
    readonly full: boolean;
    readonly signal: AbortSignal | undefined;
  }): Promise<OptimizeReport> {
    const writer = this.#attached();
    const signal =
      options.signal === undefined ? this.#stop.signal : AbortSignal.any([options.signal, this.#stop.signal]);
    while (this.#pageLane !== undefined || this.#longLane !== undefined) {
      await Promise.all([this.#pageLane, this.#longLane]);
    }
    const before = this.#report;
    const work = (async () => {
      await this.#sealAll(writer, options.full ? 0 : this.#options.sealTokens, signal);
      await writer.deleteOldRows();
      await this.#mergeAll(writer, options.full ? "full" : "idle", signal);
      signal.throwIfAborted();
      if (await tendChunks(writer, { full: true })) this.#report = { ...this.#report, hasIndexedChunks: true };
      await this.#drop(writer);
    })();
    const settled = work.catch(() => undefined); // the caller gets the error; the lanes only wait
    this.#pageLane = settled.finally(() => (this.#pageLane = undefined));
    this.#longLane = settled.finally(() => (this.#longLane = undefined));
    await work;
    return {
      sealedTables: this.#report.sealedTables - before.sealedTables,
      mergedTables: this.#report.mergedTables - before.mergedTables,
      droppedTables: this.#report.droppedTables - before.droppedTables,
      hasIndexedChunks: this.#report.hasIndexedChunks,
    };
  }

  /** Begins nothing more and waits for what runs. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort(new Error("the index is being closed"));
    await Promise.all([this.#pageLane, this.#longLane]);
  }

  async #runPageLane(): Promise<void> {
    const writer = this.#attached();
    while (this.#arePagesDue && !this.#stop.signal.aborted) {
      this.#arePagesDue = false;
      try {
        if (writer.hasOldRows) await writer.deleteOldRows();
        await this.#sealAll(writer, this.#options.sealTokens, this.#stop.signal);
      } catch (error) {
        this.#tell(error);
      }
    }
    this.tendLong();
  }

  async #runLongLane(): Promise<void> {
    const writer = this.#attached();
    while (this.#isLongDue && !this.#stop.signal.aborted) {
      this.#isLongDue = false;
      try {
        const isIdle = performance.now() - this.#writtenMs > IDLE_AFTER_MS;
        await this.#mergeAll(writer, isIdle ? "idle" : "busy", this.#stop.signal);
        await this.#drop(writer);
        const nowMs = writer.now().getTime();
        if (nowMs - this.#chunksTendedMs < CHUNK_PAUSE_MS) continue;
        this.#chunksTendedMs = nowMs;
        await tendChunks(writer, { full: false });
      } catch (error) {
        this.#tell(error);
      }
    }
  }

  async #sealAll(writer: IndexWriter, sealTokens: number, signal: AbortSignal): Promise<void> {
    const active = writer.tables.view.tails.at(-1);
    if (active !== undefined && active.pages.tokenCount >= sealTokens) await startSealing(writer);
    for (;;) {
      const sealing = writer.tables.view.tails.find(({ entry }) => entry.state === "sealing");
      if (sealing === undefined || signal.aborted) return;
      await finishSealing(writer, sealing);
      this.#report = { ...this.#report, sealedTables: this.#report.sealedTables + 1 };
    }
  }

  async #mergeAll(writer: IndexWriter, mode: MergeMode, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const planned = planMerge(writer.tables.contents.catalog.pageTables, mode);
      const sources = planned.length > 0 ? planned : (await findWornTables(writer)).slice(0, 1);
      if (sources.length === 0) return;
      await mergeTables(writer, sources, signal);
      this.#report = { ...this.#report, mergedTables: this.#report.mergedTables + sources.length };
    }
  }

  async #drop(writer: IndexWriter): Promise<void> {
    const dropped = await dropRetiredTables(writer);
    await cleanTables(writer, this.#cleaned);
    this.#report = { ...this.#report, droppedTables: this.#report.droppedTables + dropped };
  }

  #tokensInMemory(): number {
    return this.#attached().tables.view.tails.reduce((sum, { pages }) => sum + pages.tokenCount, 0);
  }

  #tell(error: unknown): void {
    if (!this.#stop.signal.aborted) this.#options.onError(error);
  }

  #attached(): IndexWriter {
    if (this.#writer === undefined) throw new Error("maintenance has no writer yet");
    return this.#writer;
  }
}
