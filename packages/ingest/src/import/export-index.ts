import { writeWarc, type WarcEntry, type WarcWriting } from "@quarry/crawl";
import { listDocumentsByUrl, type Database, type DocumentWithText } from "@quarry/store";
import { GIVEN_TEXT_VERSION } from "../given-text.ts";
import { isDamagedSnapshot, type SnapshotStore } from "../snapshot-store.ts";
import { toWarcEntry } from "./imported-page.ts";

/** What an export reads. */
export interface ExportDeps {
  readonly database: Database;
  readonly snapshots: Pick<SnapshotStore, "get">;
}

/** Documents looked up at once, and how much of their text: what an export holds. */
const PAGE_SIZE = 200;
const PAGE_CHARACTERS = 8_000_000;

/**
 * A team's documents in the order of their URLs, page by page. Not one moment's state: a document that is there all the
 * while comes exactly once, as it is when its turn comes; one added or deleted meanwhile may or may not.
 */
export async function* exportDocuments(
  database: Database,
  teamId: string,
  signal: AbortSignal,
): AsyncGenerator<DocumentWithText> {
  let afterUrl: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const page = await listDocumentsByUrl(database, teamId, {
      afterUrl,
      limit: PAGE_SIZE,
      maxCharacters: PAGE_CHARACTERS,
    });
    yield* page;
    afterUrl = page.at(-1)?.document.url;
    if (afterUrl === undefined) return;
  }
}

/**
 * The same as a WARC file: each page's bytes as they were read, with the facts that are known of it. A page whose bytes
 * the retention policy removed, or that are damaged, comes as its text.
 */
export function exportWarc(
  deps: ExportDeps,
  teamId: string,
  options: { readonly writing: WarcWriting; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  async function* entries(): AsyncGenerator<WarcEntry> {
    for await (const one of exportDocuments(deps.database, teamId, options.signal)) yield await toEntry(deps, one);
  }
  return writeWarc(entries(), options.writing);
}

async function toEntry(deps: ExportDeps, one: DocumentWithText): Promise<WarcEntry> {
  const { document, mediaType, charset, text } = one;
  const bytes = document.extractorVersion === GIVEN_TEXT_VERSION ? undefined : await bytesOf(deps, document.snapshotId);
  return toWarcEntry({
    url: document.url,
    fetchedAt: document.crawledAt,
    given: {
      title: document.title ?? undefined,
      author: document.author ?? undefined,
      publishedAt: document.publishedAt ?? undefined,
      category: document.category ?? undefined,
      // A page's bytes tell its language themselves.
      language: bytes === undefined ? (document.language ?? undefined) : undefined,
    },
    etag: document.etag ?? undefined,
    lastModified: document.lastModified ?? undefined,
    content:
      bytes === undefined
        ? { kind: "text", text }
        : { kind: "bytes", bytes, contentType: charset === null ? mediaType : `${mediaType}; charset=${charset}` },
  });
}

async function bytesOf({ snapshots }: ExportDeps, id: string): Promise<Uint8Array | undefined> {
  try {
    return await snapshots.get(id);
  } catch (thrown) {
    if (isDamagedSnapshot(thrown)) return undefined;
    throw thrown;
  }
}
