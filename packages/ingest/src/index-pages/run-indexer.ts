import { AppError } from "@quarry/base";
import type { SearchIndex } from "@quarry/retrieval";
import { INDEX_OUTBOX_CHANNEL, keepDoing, makeWakeUp } from "@quarry/store";
import { embedPages, type EmbeddedPages, type EmbedPagesDeps } from "./embed-pages.ts";
import { indexWords, type IndexWordsDeps, type SetAside } from "./index-words.ts";

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
/** So many pages in about as long are a bulk load: words come first then, and vectors get a round now and then. */
const LOAD_PAGES = 100;
const LOAD_MS = 2_000;
const VECTORS_WHILE_LOADING_MS = 60_000;

/** Keeps the index up with the store until `signal` aborts: words at once, vectors behind them. */
export async function runIndexer(deps: IndexerDeps, signal: AbortSignal): Promise<void> {
  const words = makeWakeUp();
  const vectors = makeWakeUp();
  const load = meterLoad();
  const versions = new Set<number>();
  const setAside: SetAside = {
    versions,
    add: ({ url, version }, cause) => {
      versions.add(version);
      tell(
        "words",
        new AppError("internal", `${url} cannot be indexed; it is tried again at the next start`, { cause }),
      );
    },
  };
  let embeddedMs = performance.now();
  const listening = await deps.database.listen(INDEX_OUTBOX_CHANNEL, words.ring);
  await Promise.all([
    keepDoing(
      async () => {
        const onWritten = (written: number): void => {
          load.add(written);
          deps.onWords(written);
          vectors.ring();
        };
        const pages = await indexWords(deps, signal, { onWritten, setAside });
        return pages === 0 ? LOOK_EVERY_MS : 0;
      },
      { bell: words, signal, onFailure: (error) => tell("words", error) },
    ),
    keepDoing(
      async () => {
        if (load.pages() > LOAD_PAGES && performance.now() - embeddedMs < VECTORS_WHILE_LOADING_MS)
          return LOOK_EVERY_MS;
        const done = await embedPages(deps, signal);
        embeddedMs = performance.now();
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

/** How many pages came of late: those of a moment ago count whole, older ones less and less. */
function meterLoad(): { readonly add: (pages: number) => void; readonly pages: () => number } {
  let count = 0;
  let atMs = performance.now();
  const pages = (): number => {
    const nowMs = performance.now();
    count *= Math.exp((atMs - nowMs) / LOAD_MS);
    atMs = nowMs;
    return count;
  };
  return { add: (more) => (count = pages() + more), pages };
}
