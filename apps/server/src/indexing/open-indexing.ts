import { availableParallelism } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { sleep } from "@quarry/base";
import type { Config } from "@quarry/config";
import type { Metrics } from "@quarry/doors";
import { isIndexed, type IndexedQuestion } from "@quarry/ingest";
import { openPatientReader, type SearchIndex } from "@quarry/retrieval";
import { countIndexOutbox, type Database, type DatabaseAddress } from "@quarry/store";
import type { Logger } from "pino";
import type { ChosenEmbedder } from "../open-embedder.ts";
import { createIndexHealth, type IndexHealth } from "./index-health.ts";
import { startIndexer } from "./start-indexer.ts";

/** The search index as this process sees it, and the process that writes it. */
export interface Indexing extends IndexHealth {
  /** To search; answers `unavailable` until there is an index. */
  readonly index: SearchIndex;
  /** Whether anybody searched a moment ago: what is not urgent leaves them the processors. */
  readonly isSearched: () => boolean;
  /** Whether searches here find these documents; waits for it as long as asked to. */
  readonly isIndexed: (question: IndexedQuestion, signal: AbortSignal) => Promise<boolean>;
  /** Waits while more is queued than the index can take in two seconds; not forever, since the index may be away. */
  readonly waitForRoom: (signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Passages are embedded in at most so many threads, and one core is left for searches. */
const MAX_EMBEDDING_THREADS = 4;
/** Documents that may wait for the index before whoever brings more has to wait. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;
/** Who searched will likely search again within so long. */
const SEARCHED_MS = 1_000;

/** Opens the index to read; and, unless this process only answers, starts the one that writes it. */
export function openIndexing(deps: {
  readonly config: Config;
  readonly database: Database;
  readonly address: DatabaseAddress;
  /** For an index on object storage. */
  readonly storageOptions: Readonly<Record<string, string>>;
  readonly embedder: Pick<ChosenEmbedder, "model" | "dimensions" | "endpoint">;
  readonly bundleDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly metrics: Metrics;
  readonly logger: Logger;
}): Indexing {
  const { config, database, logger, metrics } = deps;
  const place = {
    url: config.indexUrl ?? path.join(config.dataDir, "index"),
    storageOptions: deps.storageOptions,
  };
  const traffic = watchSearches();
  const reader = openPatientReader({
    ...place,
    isSearched: traffic.isSearched,
    embedding: { model: deps.embedder.model, dimensions: deps.embedder.dimensions },
    onError: (error) => logger.warn({ err: error }, "reading the search index"),
  });
  const index = noteSearches(reader.index, traffic.note);
  const look = (): void => void index.refresh().catch(() => undefined); // it looks by itself, and tells what fails then
  const indexer =
    config.role === "api"
      ? undefined
      : startIndexer({
          program: path.join(deps.bundleDirectory, "indexer.js"),
          settings: {
            database: deps.address,
            index: place,
            embedThread: pathToFileURL(path.join(deps.bundleDirectory, "embed-thread.js")).href,
            embeddingThreads: Math.min(MAX_EMBEDDING_THREADS, Math.max(1, availableParallelism() - 1)),
            embedEndpoint: deps.embedder.endpoint,
          },
          environment: deps.environment,
          logger,
          onWrote: look,
        });
  return {
    index,
    isSearched: traffic.isSearched,
    ...createIndexHealth({ database, reader, indexer: indexer?.state, metrics }),
    isIndexed: (question, signal) => isIndexed({ database, index }, question, signal),
    waitForRoom: async (signal) => {
      for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end;) {
        if ((await countIndexOutbox(database)) < MAX_WAITING) return;
        await sleep(LOOK_EVERY_MS, signal);
      }
    },
    close: async () => {
      await indexer?.stop();
      await index.close();
    },
  };
}

/** Knows whether anybody searched lately. */
function watchSearches(): { readonly note: () => void; readonly isSearched: () => boolean } {
  let searchedAtMs = Number.NEGATIVE_INFINITY;
  return {
    note: () => void (searchedAtMs = performance.now()),
    isSearched: () => performance.now() - searchedAtMs < SEARCHED_MS,
  };
}

/** The same index; each search of it is noted. */
function noteSearches(index: SearchIndex, note: () => void): SearchIndex {
  return {
    ...index,
    findByWords: (query, filter, options) => {
      note();
      return index.findByWords(query, filter, options);
    },
    findByVector: (vector, filter, options) => {
      note();
      return index.findByVector(vector, filter, options);
    },
  };
}
