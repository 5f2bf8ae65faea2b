import type { OptimizeReport } from "../search-index.ts";
import { cleanTables, dropRetiredTables, findWornTables, type CleanedTable } from "./clean-up.ts";
import type { IndexWriter } from "./index-writer.ts";
import { mergeTables } from "./merge-tables.ts";
import { isTailDue, planMerge, type MergeMode } from "./plan-merge.ts";
import { finishSealing, startSealing } from "./seal-table.ts";
import { tendChunks } from "./tend-chunks.ts";

/** When memory holds so many tokens (about 8,000 pages of 300 words, 60 MB), they go to the engine. */
export const DEFAULT_SEAL_TOKENS = 2_500_000;
/** A bulk load waits when memory holds so many times that. */
const MEMORY_FACTOR = 4;
/** Chunks are looked after at most so often, unless asked to. */
const CHUNK_PAUSE_MS = 2_000;
/** After so long without a write of pages, the index comes to rest: few tables, little in memory. */
const IDLE_AFTER_MS = 5_000;
/** What is due with time alone (old files, tables at rest) is looked for so often. */
const LOOK_EVERY_MS = 60_000;

/** How maintenance is done. */
export interface MaintenanceOptions {
  readonly sealTokens: number;
  /** False: only `optimize` does anything. */
  readonly isAutomatic: boolean;
  /** Smaller in tests. */
  readonly idleAfterMs?: number | undefined;
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
  /** No page came for a while, and what memory had to hand over it has: tables may be merged as they are to stay. */
  #isAtRest = false;
  #chunksTended: { readonly atMs: number; readonly mode: "busy" | "idle" | undefined } = { atMs: 0, mode: undefined };
  #timer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #chunkIdleTimer: NodeJS.Timeout | undefined;
  #writtenMs = 0;
  #chunksWrittenMs = 0;
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
    this.#isAtRest = false;
    this.#timer ??= setInterval(() => this.tendLong(), LOOK_EVERY_MS).unref();
    this.#idleTimer?.refresh();
    this.#idleTimer ??= setTimeout(() => this.#startPageLane(), this.#idleAfterMs).unref();
    this.#startPageLane();
  }

  /** Starts what is due after a write of chunks. */
  tendChunks(): void {
    if (!this.#options.isAutomatic || this.#stop.signal.aborted) return;
    this.#chunksWrittenMs = performance.now();
    this.#chunkIdleTimer?.refresh();
    this.#chunkIdleTimer ??= setTimeout(() => this.tendLong(), this.#idleAfterMs).unref();
    this.tendLong();
  }

  /** Starts what takes long and may be due: after many pages, or after a while. */
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
      if (await tendChunks(writer, "full")) this.#report = { ...this.#report, hasIndexedChunks: true };
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
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#chunkIdleTimer);
    this.#stop.abort(new Error("the index is being closed"));
    await Promise.all([this.#pageLane, this.#longLane]);
  }

  get #idleAfterMs(): number {
    return this.#options.idleAfterMs ?? IDLE_AFTER_MS;
  }

  /** Since that moment; timers may be a little early. */
  #isIdle(writtenMs: number): boolean {
    return performance.now() - writtenMs >= this.#idleAfterMs * 0.9;
  }

  #startPageLane(): void {
    if (this.#stop.signal.aborted) return;
    this.#arePagesDue = true;
    this.#pageLane ??= this.#runPageLane().finally(() => (this.#pageLane = undefined));
  }

  async #runPageLane(): Promise<void> {
    const writer = this.#attached();
    while (this.#arePagesDue && !this.#stop.signal.aborted) {
      this.#arePagesDue = false;
      try {
        if (writer.hasOldRows) await writer.deleteOldRows();
        await this.#sealAll(writer, this.#sealTokensNow(writer), this.#stop.signal);
      } catch (error) {
        this.#tell(error);
      }
    }
    this.#isAtRest = this.#isIdle(this.#writtenMs);
    this.tendLong();
  }

  async #runLongLane(): Promise<void> {
    const writer = this.#attached();
    while (this.#isLongDue && !this.#stop.signal.aborted) {
      this.#isLongDue = false;
      try {
        await this.#mergeAll(writer, this.#mergeModeNow(), this.#stop.signal);
        await this.#drop(writer);
        const mode = this.#isIdle(this.#chunksWrittenMs) ? "idle" : "busy";
        const atMs = writer.now().getTime();
        const last = this.#chunksTended;
        if (last.mode === mode && atMs - last.atMs < CHUNK_PAUSE_MS) continue;
        this.#chunksTended = { atMs, mode };
        await tendChunks(writer, mode);
      } catch (error) {
        this.#tell(error);
      }
    }
  }

  #mergeModeNow(): MergeMode {
    return this.#isAtRest ? "idle" : "busy";
  }

  /** How full memory must be to be sealed. */
  #sealTokensNow(writer: IndexWriter): number {
    const { sealTokens } = this.#options;
    const tokenCount = writer.tables.view.tails.at(-1)?.pages.tokenCount ?? 0;
    const isDue =
      this.#isIdle(this.#writtenMs) && isTailDue(writer.tables.contents.catalog.pageTables, { tokenCount, sealTokens });
    return isDue ? tokenCount : sealTokens;
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
