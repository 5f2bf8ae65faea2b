import type { Session } from "@lancedb/lancedb";
import { AppError, type Clock } from "@quarry/base";
import type { Analyser } from "./analysis/analyser.ts";
import { copyIndex } from "./copy-index.ts";
import { countPages } from "./find/count-pages.ts";
import { findByVector } from "./find/find-by-vector.ts";
import { findByWords } from "./find/find-by-words.ts";
import { findVersions, listVersions } from "./find/list-versions.ts";
import { readStats } from "./find/read-stats.ts";
import { ReaderRefresh } from "./reader-refresh.ts";
import type { SearchIndex } from "./search-index.ts";
import type { IndexTables } from "./tables/index-tables.ts";
import { dropUnlistedTables, noteOldRows } from "./write/clean-up.ts";
import { IndexWriter } from "./write/index-writer.ts";
import { Maintenance, type MaintenanceOptions } from "./write/maintenance.ts";
import { addChunks } from "./write/write-chunks.ts";
import { addPages, removePages } from "./write/write-pages.ts";

/** What both ends of an index are made of. */
export interface IndexParts {
  readonly tables: IndexTables;
  readonly analyser: Analyser;
  readonly session: Session;
  readonly directory: string | undefined;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** The end that writes; it searches too, and sees its own writes at once. */
export async function openWriter(
  parts: IndexParts,
  options: Omit<MaintenanceOptions, "onError">,
): Promise<SearchIndex> {
  const { tables, analyser, clock, onError } = parts;
  const maintenance = new Maintenance({ ...options, onError });
  const writer = new IndexWriter(tables, {
    now: () => clock.now(),
    tendPages: () => maintenance.tendPages(),
    tendChunks: () => maintenance.tendChunks(),
    keepUp: () => maintenance.keepUp(),
  });
  maintenance.attach(writer);
  await dropUnlistedTables(writer);
  await noteOldRows(writer);
  maintenance.tendPages();
  return {
    ...readingHalf(parts, (read) => read()),
    addPages: (pages, signal) => addPages(writer, analyser, pages, signal),
    addChunks: (pages, signal) => addChunks(writer, pages, signal),
    remove: (pages, signal) => removePages(writer, pages, signal),
    findByVector: async (vector, filter, wish) => {
      await tables.view.chunks.memory.look(); // its own writes are seen at once
      return findByVector(tables.view, { vector, filter, options: wish });
    },
    count: async (filter) => {
      if (writer.hasOldRows) await writer.deleteOldRows(); // a page must not count in its old and its new version
      return countPages(tables.view, filter);
    },
    optimize: (asked = {}) => maintenance.optimize({ full: asked.full ?? false, signal: asked.signal }),
    snapshot: (directory) => {
      const from = requireDirectory(parts.directory);
      return writer.exclusivelyOnChunks(() => writer.exclusively(() => copyIndex(from, directory)));
    },
    refresh: () => Promise.resolve(),
    close: async () => {
      await maintenance.close();
      await writer.exclusivelyOnChunks(() => writer.exclusively(() => Promise.resolve())); // what writes may finish
      tables.close();
    },
  };
}

/** An end that only reads; what the writer did reaches it within `refreshMs`. */
export function openReader(
  parts: IndexParts,
  options: { readonly refreshMs: number; readonly isSearched: (() => boolean) | undefined },
): SearchIndex {
  const { tables, onError } = parts;
  const { refreshMs, isSearched = () => false } = options;
  void tables.view.chunks.memory.look().catch(onError); // in memory before the first search, where it may
  const refresh = new ReaderRefresh({
    refresh: () => tables.refresh({ warm: isSearched() }),
    everyMs: refreshMs,
    onError,
  });
  const refuse = (): Promise<never> =>
    Promise.reject(new AppError("conflict", "this process reads the search index; another one writes it"));
  return {
    ...readingHalf(parts, (read) =>
      read().catch((error: unknown) => {
        if (error instanceof AppError) throw error;
        return refresh.now().then(read); // a table may have been dropped since the last look at the catalog
      }),
    ),
    addPages: refuse,
    addChunks: refuse,
    remove: refuse,
    optimize: refuse,
    snapshot: refuse,
    refresh: () => refresh.now(),
    close: async () => {
      await refresh.close();
      tables.close();
    },
  };
}

type ReadingHalf = Pick<
  SearchIndex,
  "findByWords" | "findByVector" | "count" | "findVersions" | "listVersions" | "termStatistics" | "stats"
>;

function readingHalf(
  { tables, analyser, session, directory }: IndexParts,
  tryRead: <Result>(read: () => Promise<Result>) => Promise<Result>,
): ReadingHalf {
  return {
    findByWords: (query, filter, options) =>
      tryRead(() => findByWords(tables.view, analyser, { query, filter, options })),
    findByVector: (vector, filter, options) => tryRead(() => findByVector(tables.view, { vector, filter, options })),
    count: (filter) => tryRead(() => countPages(tables.view, filter)),
    findVersions: (pages) => tryRead(() => findVersions(tables.view, pages)),
    listVersions: (part) => tryRead(() => listVersions(tables.view, part)),
    termStatistics: () => tables.view.statistics,
    stats: () => tryRead(() => readStats(tables.view, { directory, session })),
  };
}

function requireDirectory(directory: string | undefined): string {
  if (directory !== undefined) return directory;
  throw new AppError("invalid_request", "an index on object storage is copied with the tools of that storage");
}
