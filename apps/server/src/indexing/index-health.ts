import type { HealthComponent } from "@quarry/contract";
import type { Metrics } from "@quarry/doors";
import type { IndexStats, PatientReader } from "@quarry/retrieval";
import { countEmbeddingOutbox, countIndexOutbox, type Database } from "@quarry/store";
import type { IndexerState } from "./indexer-messages.ts";

/** How the index does. */
export interface IndexHealth {
  readonly check: () => Promise<HealthComponent>;
  /** What the whole index holds, as it was a moment ago; undefined while it is not open. */
  readonly stats: () => Promise<IndexStats | undefined>;
}

/** Counting walks the files; what was counted is good for so long. */
const STATS_FRESH_MS = 5_000;

/** Watches over the index and registers its figures; `indexer` is undefined in a process that only reads. */
export function createIndexHealth(deps: {
  readonly database: Database;
  readonly reader: PatientReader;
  readonly indexer: (() => IndexerState) | undefined;
  readonly metrics: Metrics;
}): IndexHealth {
  const { database, reader, indexer, metrics } = deps;
  let counted: { readonly stats: Promise<IndexStats | undefined>; readonly atMs: number } | undefined;
  const stats = (): Promise<IndexStats | undefined> => {
    if (!reader.state().isOpen) return Promise.resolve(undefined);
    if (counted === undefined || performance.now() - counted.atMs > STATS_FRESH_MS) {
      const counting = reader.index.stats().catch(() => undefined); // it is being opened anew
      counted = { stats: counting, atMs: performance.now() };
    }
    return counted.stats;
  };
  registerMetrics(deps, stats);
  return {
    stats,
    check: async () => {
      const [held, words, vectors] = await Promise.all([
        stats(),
        countIndexOutbox(database).catch(() => undefined), // the database's own component says what is wrong
        countEmbeddingOutbox(database).catch(() => undefined),
      ]);
      const { isOpen, reason } = reader.state();
      const state = indexer?.();
      const figures = {
        ...(held === undefined ? {} : { pages: held.pages, chunks: held.chunks, pageTables: held.pageTables }),
        ...(words === undefined ? {} : { pagesWaiting: words }),
        ...(vectors === undefined ? {} : { pagesWaitingForVectors: vectors }),
        ...(state === undefined ? {} : { passagesEmbedded: state.passagesEmbedded }),
        ...(state?.differences === undefined ? {} : { differencesMended: state.differences }),
      };
      if (state?.phase === "refused") return { name: "index", status: "down", detail: state.detail ?? "", figures };
      if (!isOpen) return { name: "index", status: "degraded", detail: reason, figures };
      const detail = describePhase(state);
      return { name: "index", status: "ok", ...(detail === undefined ? {} : { detail }), figures };
    },
  };

  function registerMetrics({ database: db }: { readonly database: Database }, read: IndexHealth["stats"]): void {
    metrics.gauge("quarry_index_pages", "Pages in the search index.", async () => (await read())?.pages ?? 0);
    metrics.gauge("quarry_index_chunks", "Passages with vectors in it.", async () => (await read())?.chunks ?? 0);
    metrics.gauge("quarry_index_disk_bytes", "Disk the index takes.", async () => (await read())?.diskBytes ?? 0);
    metrics.gauge("quarry_index_waiting", "Pages that wait for the index, by what they wait for.", async () => [
      { labels: { for: "words" }, value: await countIndexOutbox(db) },
      { labels: { for: "vectors" }, value: await countEmbeddingOutbox(db) },
    ]);
    if (indexer === undefined) return;
    metrics.gauge(
      "quarry_index_passages_embedded",
      "Passages the model has read since the indexing process started.",
      () => indexer().passagesEmbedded,
    );
  }
}

function describePhase(state: IndexerState | undefined): string | undefined {
  switch (state?.phase) {
    case undefined:
      return "this process reads the index; a worker writes it";
    case "starting":
    case "opening":
      return "the indexing process is starting";
    case "waiting":
      return "another process writes the index; this one takes over when it ends";
    case "writing":
    case "refused":
      return undefined;
  }
}
