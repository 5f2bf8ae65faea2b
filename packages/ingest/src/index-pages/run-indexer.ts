import type { AppError } from "@quarry/base";
import type { SearchIndex } from "@quarry/retrieval";
import { INDEX_OUTBOX_CHANNEL, keepDoing, makeWakeUp } from "@quarry/store";
import { embedPages, type EmbeddedPages, type EmbedPagesDeps } from "./embed-pages.ts";
import { indexWords, type IndexWordsDeps } from "./index-words.ts";

/** A part of the indexer's work. */
export type IndexerStep = "words" | "vectors";

/** What the indexer needs, and whom it tells. */
export interface IndexerDeps extends Omit<IndexWordsDeps & EmbedPagesDeps, "index"> {
  readonly index: Pick<SearchIndex, "addChunks" | "addPages" | "remove">;
  /** Words of so many pages are searchable from now on. */
  readonly onWords: (pages: number) => void;
  readonly onVectors: (done: EmbeddedPages) => void;
  /** A step failed; it is tried again, later and later. */
  readonly onFailure: (step: IndexerStep, error: AppError) => void;
}

/** A notification may be lost with its connection; the outbox is looked at this often all the same. */
const LOOK_EVERY_MS = 500;

/** Keeps the index up with the store until `signal` aborts: words at once, vectors behind them. */
export async function runIndexer(deps: IndexerDeps, signal: AbortSignal): Promise<void> {
  const words = makeWakeUp();
  const vectors = makeWakeUp();
  const listening = await deps.database.listen(INDEX_OUTBOX_CHANNEL, words.ring);
  await Promise.all([
    keepDoing(
      async () => {
        const pages = await indexWords(deps, signal);
        if (pages === 0) return LOOK_EVERY_MS;
        deps.onWords(pages);
        vectors.ring();
        return 0;
      },
      { bell: words, signal, onFailure: (error) => tell("words", error) },
    ),
    keepDoing(
      async () => {
        const done = await embedPages(deps, signal);
        if (done.pages === 0) return LOOK_EVERY_MS;
        deps.onVectors(done);
        return 0;
      },
      { bell: vectors, signal, onFailure: (error) => tell("vectors", error) },
    ),
  ]);
  await listening.close();

  function tell(step: IndexerStep, error: AppError): void {
    if (!signal.aborted) deps.onFailure(step, error);
  }
}
