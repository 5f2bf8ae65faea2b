import { AppError, ThreadPool } from "@quarry/base";
import { readMediaType, type PageFormat } from "@quarry/crawl";
import { readGivenText } from "./given-text.ts";
import type { PageInput, PageReading, ReadPage } from "./read-page.ts";

/** Reads pages in threads of its own, so that no page can stall or break the server. */
export interface PageReader {
  readonly readPage: ReadPage;
  readonly close: () => Promise<void>;
}

/** A page that takes longer is stopped; the slowest honest ones need a tenth of it. */
const PAGE_TIMEOUT_MS = 20_000;
/**
 * What was stopped is read once more, with so many times as long: on a machine that has no time for us the thread may
 * not even have started, and a page given up here is a page the index never has.
 */
const PATIENCE = 3;
/** A book of a thousand pages takes a while. */
const DOCUMENT_TIMEOUT_MS = 60_000;
const THREAD_MEMORY_MEGABYTES = 512;

/** Formats whose parsers are large, slow and the likeliest to break: they have a thread of their own. */
const DOCUMENT_FORMATS: ReadonlySet<PageFormat> = new Set(["pdf", "docx", "pptx", "epub"]);

/**
 * Makes a reader of `threads` threads, and one more for PDF and office files, so that a slow or hostile one holds up
 * no other page. They start with the first page, and again after one was too much for them. `entry` is the bundled
 * `read-page-thread.ts`.
 */
export function createPageReader(options: {
  readonly entry: URL;
  readonly threads: number;
  /** For tests; 20 seconds a page and a minute a document unless told. */
  readonly pageTimeoutMs?: number;
  readonly documentTimeoutMs?: number;
}): PageReader {
  const poolOf = (threads: number): ThreadPool =>
    new ThreadPool({
      entry: options.entry,
      threads,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MEGABYTES },
    });
  const pages = poolOf(options.threads);
  const documents = poolOf(1);
  return {
    readPage: async (page, signal) => {
      // A text that was handed to us is its own reading: nothing in it can stall or break us.
      if (page.content.kind === "text") return { kind: "read", reading: readGivenText(page.content.text) };
      const isDocument = isDocumentFormat(page);
      const once = (timeoutMs: number): Promise<unknown> =>
        (isDocument ? documents : pages).run(page, { timeoutMs, ...(signal === undefined ? {} : { signal }) });
      try {
        const reading = isDocument
          ? await once(options.documentTimeoutMs ?? DOCUMENT_TIMEOUT_MS)
          : await readPatiently(once, options.pageTimeoutMs ?? PAGE_TIMEOUT_MS);
        return { kind: "read", reading: reading as PageReading };
      } catch (thrown) {
        signal?.throwIfAborted();
        const error = AppError.from(thrown);
        // The reader has no time for it, or ends: that says nothing about the page, which nobody may take for broken.
        if (error.code === "canceled" || error.code === "unavailable") throw error;
        return { kind: "unreadable", error };
      }
    },
    close: async () => {
      await Promise.all([pages.close(), documents.close()]);
    },
  };
}

async function readPatiently(once: (timeoutMs: number) => Promise<unknown>, timeoutMs: number): Promise<unknown> {
  try {
    return await once(timeoutMs);
  } catch (thrown) {
    if (AppError.from(thrown).code !== "timeout") throw thrown;
    return once(timeoutMs * PATIENCE);
  }
}

function isDocumentFormat({ content }: PageInput): boolean {
  if (content.kind === "text") return false;
  const media = readMediaType(content.contentType, content.bytes);
  return media.kind !== "unsupported" && DOCUMENT_FORMATS.has(media.format);
}
