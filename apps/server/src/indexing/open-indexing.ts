import { availableParallelism } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Config } from "@quarry/config";
import { isIndexed, type IndexedQuestion } from "@quarry/ingest";
import { MINILM } from "@quarry/models";
import { openPatientReader, type SearchIndex } from "@quarry/retrieval";
import type { Database, DatabaseAddress } from "@quarry/store";
import type { Logger } from "pino";
import { startIndexer } from "./start-indexer.ts";

/** The search index as this process sees it, and the process that writes it. */
export interface Indexing {
  /** To search; answers `unavailable` until there is an index. */
  readonly index: SearchIndex;
  /** Whether searches here find these documents; waits for it as long as asked to. */
  readonly isIndexed: (question: IndexedQuestion, signal: AbortSignal) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Passages are embedded in at most so many threads, and one core is left for searches. */
const MAX_EMBEDDING_THREADS = 4;

/** Opens the index to read; and, unless this process only answers, starts the one that writes it. */
export function openIndexing(deps: {
  readonly config: Config;
  readonly database: Database;
  readonly address: DatabaseAddress;
  readonly bundleDirectory: string;
  readonly logger: Logger;
}): Indexing {
  const { config, database, logger } = deps;
  const place = { url: config.indexUrl ?? path.join(config.dataDir, "index"), storageOptions: {} };
  const { index } = openPatientReader({
    ...place,
    embedding: { model: MINILM.model, dimensions: MINILM.dimensions },
    onError: (error) => logger.warn({ err: error }, "reading the search index"),
  });
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
          },
          logger,
          onWrote: look,
        });
  return {
    index,
    isIndexed: (question, signal) => isIndexed({ database, index }, question, signal),
    close: async () => {
      await indexer?.stop();
      await index.close();
    },
  };
}
