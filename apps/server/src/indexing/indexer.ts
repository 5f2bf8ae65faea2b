import { readdirSync } from "node:fs";
import os from "node:os";
import { setFlagsFromString } from "node:v8";
import { AppError } from "@quarry/base";
import { countDifferences, runIndexTasks } from "@quarry/ingest";
import { createThreadedEmbedder } from "@quarry/models";
import { dropSearchIndex, openSearchIndex } from "@quarry/retrieval";
import { holdLock, openDatabase } from "@quarry/store";
import { connectEmbedder } from "../open-embedder.ts";
import { IndexDesk } from "./index-desk.ts";
import type { FromIndexer, IndexerSettings, IndexerState, ToIndexer } from "./indexer-messages.ts";

/*
 * The indexing process: the one writer of the search index. A process rather than a thread, because the engine's
 * native calls outlive a thread that ends and then take the whole process down; and because it may be killed at any
 * moment without harm, while the server goes on.
 */

/** The key of the advisory lock that writers of the index queue at. */
const INDEX_WRITER_LOCK = 7_700_010;
const MAX_CONNECTIONS = 4;
/** How much less urgent than the server it is: searches come first, and the pages that wait for it are never many. */
const NICENESS = 10;
const LEAST_URGENT = 19;
/** It looks up keys and reads tables once; searches, which need more, are the servers'. */
const INDEX_CACHE_BYTES = 128 * 1_024 ** 2;
const METADATA_CACHE_BYTES = 16 * 1_024 ** 2;
/** Garbage may take as much as what is in use; left to itself, the collector lets it take three times that. */
const HEAP_FLAGS = "--heap-growing-percent=100";

setFlagsFromString(HEAP_FLAGS);

const stop = new AbortController();

process.on("disconnect", leaveAtOnce); // the server is gone
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => undefined); // a terminal tells the whole group; the server decides
}
process.on("message", (message: ToIndexer) => {
  if (message.kind === "stop") stop.abort(new AppError("canceled", "the server stops"));
  else void run(message.settings).then(leave, fail);
});

let state: IndexerState = { phase: "starting", pagesIndexed: 0, pagesEmbedded: 0, passagesEmbedded: 0 };

async function run(settings: IndexerSettings): Promise<void> {
  const database = await openDatabase({
    address: settings.database,
    maxConnections: MAX_CONNECTIONS,
    applicationName: "quarry indexer",
    onError: (error) => complain("database", error),
  });
  change({ phase: "waiting" });
  const lock = await holdLock(settings.database, INDEX_WRITER_LOCK, stop.signal);
  lock.lost.addEventListener("abort", leaveAtOnce); // another process may write now
  const { embedEndpoint, embedThread, embeddingThreads } = settings;
  const embedder =
    embedEndpoint === undefined
      ? createThreadedEmbedder({ entry: new URL(embedThread), threads: embeddingThreads })
      : await connectEmbedder(embedEndpoint);
  const desk = new IndexDesk({
    database,
    embedder,
    open: () =>
      openSearchIndex({
        ...settings.index,
        access: "write",
        embedding: { model: embedder.model, dimensions: embedder.dimensions },
        indexCacheBytes: INDEX_CACHE_BYTES,
        metadataCacheBytes: METADATA_CACHE_BYTES,
        onError: (error) => complain("maintenance", error),
      }),
    drop: () => dropSearchIndex(settings.index),
    onPhase: (phase, detail) => {
      change({ phase, detail });
      if (phase === "writing") tell({ kind: "wrote" });
    },
    onWords: (pages) => {
      change({ pagesIndexed: state.pagesIndexed + pages });
      tell({ kind: "wrote" });
    },
    onVectors: ({ pages, embedded }) => {
      change({
        pagesEmbedded: state.pagesEmbedded + pages,
        passagesEmbedded: state.passagesEmbedded + embedded,
      });
      tell({ kind: "wrote" });
    },
    onReconciled: (report) => change({ differences: countDifferences(report) }),
    onFailure: complain,
  });
  await desk.open();
  giveWay(); // not before: a first start waits for its index
  await runIndexTasks(
    {
      database,
      handlers: {
        optimize: (signal) => desk.optimize(signal),
        verify: (signal) => desk.verify(signal),
        rebuild: (signal) => desk.rebuild(signal),
      },
      onFailure: (error) => complain("tasks", error),
    },
    stop.signal,
  );
  await desk.close();
  await embedder.close();
  await lock.release();
  await database.close();
}

function change(part: Partial<IndexerState>): void {
  state = { ...state, ...part };
  tell({ kind: "state", state });
}

function complain(where: string, error: unknown): void {
  const cause = error instanceof AppError && error.code === "internal" ? (error.cause ?? error) : error;
  tell({ kind: "trouble", where, message: cause instanceof Error ? cause.message : String(cause) });
}

function tell(message: FromIndexer): void {
  process.send?.(message);
}

function leave(): void {
  process.exit(0);
}

function fail(error: unknown): void {
  if (!stop.signal.aborted) complain("indexer", error);
  process.exit(stop.signal.aborted ? 0 : 1);
}

/** What the index promised is on disk; a native call under way has nobody to answer to. */
function leaveAtOnce(): void {
  process.kill(process.pid, "SIGKILL");
}

function giveWay(): void {
  try {
    const priority = Math.min(LEAST_URGENT, os.getPriority() + NICENESS);
    for (const thread of listThreads()) lower(thread, priority);
  } catch (error) {
    complain("priority", error); // not on this machine: it indexes all the same
  }
}

function lower(thread: number, priority: number): void {
  try {
    os.setPriority(thread, priority);
  } catch (error) {
    if (!String(error).includes("ESRCH")) throw error; // that one has ended meanwhile
  }
}

/** On Linux each thread has a priority of its own, and takes after the one that makes it; elsewhere the process has one. */
function listThreads(): readonly number[] {
  return process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
}
