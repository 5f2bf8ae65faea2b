import { AppError } from "@quarry/base";
import { openSearchIndex, type SearchIndexOptions } from "./open-search-index.ts";
import type { SearchIndex } from "./search-index.ts";

/** A reader that need not be there yet, and comes back when its index was built anew. */
export interface PatientReader {
  readonly index: SearchIndex;
  /** Whether searches are answered now; if not, why. */
  readonly state: () => { readonly isOpen: boolean; readonly reason: string };
}

const RETRY_MS = 250;
const RETRY_AFTER_MS = 1_000;
/** So many looks that fail within so long, and the index is opened anew: its files may have been replaced. */
const MAX_FAILED_LOOKS = 3;
const FAILED_LOOKS_MS = 10_000;

/**
 * Opens an index to read, as soon as there is one; until then every question is answered with `unavailable`, to be
 * asked again. An index that another process drops and builds anew is opened again by itself.
 */
export function openPatientReader(options: Omit<SearchIndexOptions, "access">): PatientReader {
  const onError = options.onError ?? (() => undefined);
  let current: SearchIndex | undefined;
  let reason = "the search index is being opened";
  let failedLooksMs: readonly number[] = [];
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const open = async (): Promise<void> => {
    try {
      const opened = await openSearchIndex({ ...options, access: "read", onError: noticeFailure });
      if (isClosed) await opened.close();
      else current = opened;
    } catch (error) {
      const sentence = error instanceof AppError ? error.message : "the search index cannot be opened";
      if (sentence !== reason && !(error instanceof AppError && error.retryable)) onError(error); // once, not at every try
      reason = sentence;
      if (!isClosed) timer = setTimeout(openAgain, RETRY_MS).unref();
    }
  };
  const openAgain = (): void => {
    opening = open();
  };
  const noticeFailure = (error: unknown): void => {
    const nowMs = performance.now();
    failedLooksMs = [...failedLooksMs.filter((atMs) => nowMs - atMs < FAILED_LOOKS_MS), nowMs];
    const isReplaced = error instanceof Error && error.name === "IndexReplacedError";
    if (!isReplaced && failedLooksMs.length < MAX_FAILED_LOOKS) return; // it looks again by itself
    if (!isReplaced) onError(error);
    const old = current;
    if (old === undefined || isClosed) return;
    current = undefined;
    failedLooksMs = [];
    reason = "the search index is being opened anew";
    opening = old.close().catch(onError).then(open);
  };
  let opening = open();

  const use = async <Result>(read: (index: SearchIndex) => Promise<Result>, signal?: AbortSignal): Promise<Result> => {
    const reader = requireOpen(current, reason);
    try {
      return await read(reader);
    } catch (error) {
      if (error instanceof AppError || signal?.aborted === true) throw error;
      // The engine itself failed: most likely its files were replaced while it read.
      if (current === reader) noticeFailure(error);
      throw new AppError("unavailable", `${reason}; ask again in a moment`, {
        retryable: true,
        retryAfterMs: RETRY_AFTER_MS,
        cause: error,
      });
    }
  };
  const index: SearchIndex = {
    addPages: (pages, signal) => use((reader) => reader.addPages(pages, signal)),
    addChunks: (pages, signal) => use((reader) => reader.addChunks(pages, signal)),
    remove: (pages, signal) => use((reader) => reader.remove(pages, signal)),
    findByWords: (query, filter, wish) => use((reader) => reader.findByWords(query, filter, wish), wish.signal),
    findByVector: (vector, filter, wish) => use((reader) => reader.findByVector(vector, filter, wish), wish.signal),
    count: (filter) => use((reader) => reader.count(filter)),
    findVersions: (pages) => use((reader) => reader.findVersions(pages)),
    listVersions: (part) => use((reader) => reader.listVersions(part)),
    termStatistics: () => requireOpen(current, reason).termStatistics(),
    optimize: (wish) => use((reader) => reader.optimize(wish)),
    stats: () => use((reader) => reader.stats()),
    snapshot: (directory) => use((reader) => reader.snapshot(directory)),
    refresh: () => use((reader) => reader.refresh()),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await opening;
      await current?.close();
      current = undefined;
      reason = "the search index is closed";
    },
  };
  return { index, state: () => ({ isOpen: current !== undefined, reason }) };
}

function requireOpen(index: SearchIndex | undefined, reason: string): SearchIndex {
  if (index !== undefined) return index;
  throw new AppError("unavailable", `${reason}; ask again in a moment`, {
    retryable: true,
    retryAfterMs: RETRY_AFTER_MS,
  });
}
