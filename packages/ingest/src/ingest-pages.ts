import type { AppError } from "@quarry/base";
import { chooseCanonical, NEAR_DUPLICATE_BITS } from "@quarry/crawl";
import {
  findDocument,
  findDuplicate,
  saveDocuments,
  saveExtractedTexts,
  saveSnapshots,
  type Database,
  type DocumentToSave,
  type SavedDocument,
  type Transaction,
} from "@quarry/store";
import type { PageToIngest } from "./page-to-ingest.ts";
import type { PageReading, ReadPage } from "./read-page.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { toDocument, type UnplacedDocument } from "./to-document.ts";

/** What the write path needs from outside. */
export interface IngestDeps {
  readonly database: Database;
  readonly snapshots: SnapshotStore;
  /** Bytes to text and facts; off the main thread where pages are many. Rejects only on abort. */
  readonly readPage: ReadPage;
}

/** What became of one page. A page that cannot be read is an answer, not an exception. */
export type IngestOutcome =
  | {
      readonly kind: "saved";
      readonly url: string;
      readonly saved: SavedDocument;
      readonly snapshotId: string;
      readonly canonicalUrl: string | null;
      readonly reading: PageReading;
    }
  /** Read, and not to be kept: the page asks for that. */
  | { readonly kind: "passed-over"; readonly url: string; readonly reading: PageReading }
  | { readonly kind: "unreadable"; readonly url: string; readonly error: AppError };

/** How a batch is ingested. */
export interface IngestOptions {
  readonly signal?: AbortSignal;
  /** Whether a page that was read is also kept; all are unless told. */
  readonly mayKeep?: (page: PageToIngest, reading: PageReading) => boolean;
  /** Writes what belongs to the batch in its transaction. */
  readonly alongside?: (tx: Transaction, outcomes: readonly IngestOutcome[]) => Promise<void>;
}

interface ReadPageOfBatch {
  readonly page: PageToIngest;
  readonly snapshotId: string;
  readonly bytes: Uint8Array;
  readonly reading: PageReading;
  readonly document: UnplacedDocument;
}

interface PageNotKept {
  readonly page: PageToIngest;
  readonly notKept: IngestOutcome;
}

/**
 * Keeps pages: bytes as snapshots, then text, facts and the note to the index in one transaction, whose commit is the
 * acknowledgement. Outcomes follow the order of the pages.
 */
export async function ingestPages(
  deps: IngestDeps,
  pages: readonly PageToIngest[],
  options: IngestOptions = {},
): Promise<readonly IngestOutcome[]> {
  const read = await Promise.all(pages.map((page) => readOne(deps, page, options)));
  options.signal?.throwIfAborted();
  return deps.database.transaction(async (tx) => {
    const outcomes = await saveAll(tx, read);
    await options.alongside?.(tx, outcomes);
    return outcomes;
  });
}

async function readOne(
  deps: IngestDeps,
  page: PageToIngest,
  { signal, mayKeep }: IngestOptions,
): Promise<ReadPageOfBatch | PageNotKept> {
  const { content } = page;
  const bytes = content.kind === "text" ? Buffer.from(content.text, "utf8") : content.bytes;
  const outcome = await deps.readPage({ url: page.url, content, now: page.fetchedAt }, signal);
  if (outcome.kind === "unreadable")
    return { page, notKept: { kind: "unreadable", url: page.url, error: outcome.error } };
  if (mayKeep?.(page, outcome.reading) === false) {
    return { page, notKept: { kind: "passed-over", url: page.url, reading: outcome.reading } };
  }
  const snapshotId = await deps.snapshots.put(bytes);
  return { page, snapshotId, bytes, reading: outcome.reading, document: toDocument(page, snapshotId, outcome.reading) };
}

async function saveAll(
  tx: Transaction,
  read: readonly (ReadPageOfBatch | PageNotKept)[],
): Promise<readonly IngestOutcome[]> {
  const readable = read.filter((one): one is ReadPageOfBatch => "document" in one);
  await saveSnapshots(
    tx,
    readable.map(({ page, snapshotId, bytes, reading }) => ({
      id: snapshotId,
      mediaType: reading.mediaType,
      charset: reading.charset ?? null,
      byteLength: bytes.byteLength,
      createdAt: page.fetchedAt,
    })),
  );
  await saveExtractedTexts(
    tx,
    readable.map(({ snapshotId, reading }) => ({
      snapshotId,
      extractorVersion: reading.extractorVersion,
      text: reading.text,
      markdown: reading.markdown,
      sourceMap: reading.sourceMap,
    })),
    new Date(),
  );
  const documents: DocumentToSave[] = [];
  for (const one of readable) documents.push({ ...one.document, canonicalUrl: await findCanonical(tx, one) });
  const saved = await saveDocuments(tx, documents);
  const outcomes = new Map<PageToIngest, IngestOutcome>();
  readable.forEach(({ page, snapshotId, reading }, index) => {
    const result = saved[index];
    if (result === undefined) throw new Error("saveDocuments answered fewer documents than it was given");
    const canonicalUrl = documents[index]?.canonicalUrl ?? null;
    outcomes.set(page, { kind: "saved", url: page.url, saved: result, snapshotId, canonicalUrl, reading });
  });
  return read.map((one) => {
    const outcome = "notKept" in one ? one.notKept : outcomes.get(one.page);
    if (outcome === undefined) throw new Error("a page was read and nothing became of it");
    return outcome;
  });
}

/** The page that stands for this one: what it declares itself, where we have that page; else an older one alike. */
async function findCanonical(tx: Transaction, { page, reading, document }: ReadPageOfBatch): Promise<string | null> {
  const { teamId, url } = page;
  if (reading.declaredCanonical !== undefined) {
    const choice = chooseCanonical({ url, links: [reading.declaredCanonical] });
    if (choice.kind === "declared" && (await findDocument(tx, [teamId], choice.url)) !== undefined) return choice.url;
  }
  const twin = await findDuplicate(tx, teamId, { ...document, maxBits: NEAR_DUPLICATE_BITS });
  return twin ?? null;
}
