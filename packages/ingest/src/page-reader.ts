import { AppError, ThreadPool } from "@quarry/base";
import type { PageReading, ReadPage } from "./read-page.ts";

/** Reads pages in threads of its own, so that no page can stall or break the server. */
export interface PageReader {
  readonly readPage: ReadPage;
  readonly close: () => Promise<void>;
}

/** A page that takes longer is given up; the slowest honest ones need a tenth of it. */
const PAGE_TIMEOUT_MS = 20_000;
const THREAD_MEMORY_MEGABYTES = 512;

/** Makes a reader of `threads` threads; they start with the first page. `entry` is the bundled `read-page-thread.ts`. */
export function createPageReader(options: { readonly entry: URL; readonly threads: number }): PageReader {
  const pool = new ThreadPool({
    entry: options.entry,
    threads: options.threads,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MEGABYTES },
  });
  return {
    readPage: async (page, signal) => {
      try {
        const reading = await pool.run(page, {
          timeoutMs: PAGE_TIMEOUT_MS,
          ...(signal === undefined ? {} : { signal }),
        });
        return { kind: "read", reading: reading as PageReading };
      } catch (thrown) {
        signal?.throwIfAborted();
        return { kind: "unreadable", error: AppError.from(thrown) };
      }
    },
    close: () => pool.close(),
  };
}
