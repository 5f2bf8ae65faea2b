import { AppError, sleep } from "@quarry/base";
import { countDifferences, reconcileIndex, runIndexer, type IndexerDeps, type ReconcileReport } from "@quarry/ingest";
import type { SearchIndex } from "@quarry/retrieval";
import { countQueuedUpTo, requeueEverything, sweepPassageVectors, type Json } from "@quarry/store";

/** What writing the index needs, and whom it tells. */
export interface IndexDeskDeps extends Omit<IndexerDeps, "index" | "onFailure"> {
  readonly open: () => Promise<SearchIndex>;
  /** Drops all tables of the index, whatever their format. */
  readonly drop: () => Promise<void>;
  readonly onPhase: (phase: "opening" | "writing" | "refused", detail?: string) => void;
  readonly onReconciled: (report: ReconcileReport) => void;
  readonly onFailure: (where: string, error: unknown) => void;
}

/** After a start, so that what is queued comes first. */
const FIRST_RECONCILE_MS = 5_000;
const RECONCILE_EVERY_MS = 3_600_000;
const SWEEPS_APART_MS = 24 * 3_600_000;
const LOOK_EVERY_MS = 100;

/** An index at work. */
interface Session {
  readonly index: SearchIndex;
  readonly stop: AbortController;
  readonly loops: Promise<unknown>;
}

/**
 * The writer's desk: keeps the index up with the store, compares the two now and then, and does what people ask for.
 * Where the index cannot be used as it is (another format), the desk stays open for the order to build it anew.
 */
export class IndexDesk {
  readonly #deps: IndexDeskDeps;
  #session: Session | undefined;
  #refusal = "the search index is not open";
  #reconciling: Promise<ReconcileReport> | undefined;
  #sweptMs = performance.now();

  constructor(deps: IndexDeskDeps) {
    this.#deps = deps;
  }

  /** Opens the index and goes to work. Rejects unless the index is there, can be made, or is of another format. */
  async open(): Promise<void> {
    this.#deps.onPhase("opening");
    let index: SearchIndex;
    try {
      index = await this.#deps.open();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
      this.#refusal = error.message;
      this.#deps.onPhase("refused", error.message);
      return;
    }
    const stop = new AbortController();
    const { signal } = stop;
    const loops = Promise.all([
      runIndexer({ ...this.#deps, index }, signal),
      this.#reconcileNowAndThen(index, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#deps.onFailure("reconciler", error);
      }),
    ]);
    this.#session = { index, stop, loops };
    this.#deps.onPhase("writing");
  }

  /** Seals, merges and cleans as far as it goes. */
  async optimize(signal: AbortSignal): Promise<Json> {
    return { ...(await this.#open().index.optimize({ full: true, signal })) };
  }

  /** Compares index and store now. */
  async verify(signal: AbortSignal): Promise<Json> {
    const report = await this.#reconcile(this.#open().index, signal);
    return { ...report, differences: countDifferences(report) };
  }

  /**
   * Drops the index and fills it from the store; resolves once every document is found by its words again. Killed
   * half-way, it is begun anew: whoever dropped the tables has not yet finished this task.
   */
  async rebuild(signal: AbortSignal): Promise<Json> {
    await this.close();
    await this.#deps.drop();
    const { documents, highestVersion } = await requeueEverything(this.#deps.database);
    await this.open();
    while ((await countQueuedUpTo(this.#deps.database, highestVersion)) > 0) await sleep(LOOK_EVERY_MS, signal);
    return { documents };
  }

  /** Finishes what is being written and closes the index. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    session.stop.abort(new AppError("canceled", "the index is being closed"));
    await session.loops;
    await session.index.close();
  }

  async #reconcileNowAndThen(index: SearchIndex, signal: AbortSignal): Promise<void> {
    for (let waitMs = FIRST_RECONCILE_MS; ; waitMs = RECONCILE_EVERY_MS) {
      await sleep(waitMs, signal);
      try {
        await this.#reconcile(index, signal);
        if (performance.now() - this.#sweptMs < SWEEPS_APART_MS) continue;
        this.#sweptMs = performance.now();
        await sweepPassageVectors(this.#deps.database, signal);
      } catch (error) {
        signal.throwIfAborted();
        this.#deps.onFailure("reconciler", error); // the next one is an hour away; the store is the truth all the same
      }
    }
  }

  /** Never twice at once: who comes while one runs gets the next. */
  async #reconcile(index: SearchIndex, signal: AbortSignal): Promise<ReconcileReport> {
    while (this.#reconciling !== undefined) await this.#reconciling.catch(() => undefined); // its caller has the error
    const { database, embedder } = this.#deps;
    this.#reconciling = reconcileIndex({ database, index, model: embedder.model }, signal);
    try {
      const report = await this.#reconciling;
      this.#deps.onReconciled(report);
      return report;
    } finally {
      this.#reconciling = undefined;
    }
  }

  #open(): Session {
    if (this.#session === undefined) throw new AppError("unavailable", this.#refusal, { retryable: true });
    return this.#session;
  }
}
