import { AppError, ThreadPool } from "@quarry/base";
import { readMediaType, type PageFormat } from "@quarry/crawl";
import type { PageInput, PageReading, ReadPage } from "./read-page.ts";

/** Reads pages in threads of its own, so that no page can stall or break the server. */
export interface PageReader {
  readonly readPage: ReadPage;
  readonly close: () => Promise<void>;
}

/** A page that takes longer is given up; the slowest honest ones need a tenth of it. */
const PAGE_TIMEOUT_MS = 20_000;
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
  /** For tests; a minute unless told. */
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
      const isDocument = isDocumentFormat(page);
      try {
        const reading = await (isDocument ? documents : pages).run(page, {
          timeoutMs: isDocument ? (options.documentTimeoutMs ?? DOCUMENT_TIMEOUT_MS) : PAGE_TIMEOUT_MS,
          ...(signal === undefined ? {} : { signal }),
        });
        return { kind: "read", reading: reading as PageReading };
      } catch (thrown) {
        signal?.throwIfAborted();
        return { kind: "unreadable", error: AppError.from(thrown) };
      }
    },
    close: async () => {
      await Promise.all([pages.close(), documents.close()]);
    },
  };
}

function isDocumentFormat({ content }: PageInput): boolean {
  if (content.kind === "text") return false;
  const media = readMediaType(content.contentType, content.bytes);
  return media.kind !== "unsupported" && DOCUMENT_FORMATS.has(media.format);
}
