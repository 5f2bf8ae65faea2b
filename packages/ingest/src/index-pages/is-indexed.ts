import { AppError, sleep } from "@quarry/base";
import type { SearchIndex } from "@quarry/retrieval";
import { countQueued, type Database } from "@quarry/store";

/** What asking whether documents can be found needs. */
export interface IndexedDeps {
  readonly database: Database;
  /** The index as this process searches it. */
  readonly index: Pick<SearchIndex, "refresh">;
}

/** Which documents, and how long to wait until they can be found; 0 asks once. */
export interface IndexedQuestion {
  readonly teamId: string;
  readonly urls: readonly string[];
  readonly waitMs: number;
}

/** Whoever waits asks so often. */
const ASK_EVERY_MS = 50;

/** Whether searches of this process find these documents by their words. */
export async function isIndexed(
  { database, index }: IndexedDeps,
  { teamId, urls, waitMs }: IndexedQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    if ((await countQueued(database, teamId, urls)) === 0 && (await hasRefreshed(index))) return true;
    if (performance.now() >= end) return false;
    await sleep(ASK_EVERY_MS, signal);
  }
}

/** What the indexer has written is there; this process may not have looked since. */
async function hasRefreshed(index: IndexedDeps["index"]): Promise<boolean> {
  try {
    await index.refresh();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") return false; // it is being opened
    throw error;
  }
}
