import type { AppError } from "@quarry/base";
import type { PageToIngest } from "./page-to-ingest.ts";
import type { PageReading, ReadPage } from "./read-page.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { toDocument, type UnplacedDocument } from "./to-document.ts";

/** What preparing a page needs from outside. */
export interface PrepareDeps {
  readonly snapshots: SnapshotStore;
  /** Bytes to text and facts; off the main thread where pages are many. Rejects only on abort. */
  readonly readPage: ReadPage;
}

/** A page that was read; its snapshot is kept, and it waits for its rows. */
export type PreparedPage =
  | {
      readonly kind: "to-keep";
      readonly page: PageToIngest;
      readonly snapshotId: string;
      readonly byteLength: number;
      readonly reading: PageReading;
      readonly document: UnplacedDocument;
    }
  /** Read, and not to be kept: the page asks for that. */
  | { readonly kind: "passed-over"; readonly page: PageToIngest; readonly reading: PageReading }
  | { readonly kind: "unreadable"; readonly page: PageToIngest; readonly error: AppError };

/** Reads a page and keeps its bytes as a snapshot. Rejects when `signal` aborts or the bytes cannot be kept. */
export async function preparePage(
  deps: PrepareDeps,
  page: PageToIngest,
  options: {
    readonly signal?: AbortSignal | undefined;
    /** Whether a page that was read is also kept; all are unless told. */
    readonly mayKeep?: ((page: PageToIngest, reading: PageReading) => boolean) | undefined;
  },
): Promise<PreparedPage> {
  const { content } = page;
  const outcome = await deps.readPage({ url: page.url, content, now: page.fetchedAt }, options.signal);
  if (outcome.kind === "unreadable") return { kind: "unreadable", page: page, error: outcome.error };
  const { reading } = outcome;
  if (options.mayKeep?.(page, reading) === false) {
    return { kind: "passed-over", page: page, reading };
  }
  const bytes = content.kind === "text" ? Buffer.from(content.text, "utf8") : content.bytes;
  const snapshotId = await deps.snapshots.put(bytes);
  return {
    kind: "to-keep",
    page: page,
    snapshotId,
    byteLength: bytes.byteLength,
    reading,
    document: toDocument(page, snapshotId, reading),
  };
}
