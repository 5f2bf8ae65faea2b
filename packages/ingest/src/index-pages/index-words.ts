import type { PageToIndex, SearchIndex } from "@quarry/retrieval";
import { confirmWords, readIndexOutbox, requeueAbove, type Database, type IndexChange } from "@quarry/store";

/** What the indexer needs for words. */
export interface IndexWordsDeps {
  readonly database: Database;
  readonly index: Pick<SearchIndex, "addPages" | "remove">;
}

/** Changes taken at once: the index writes so many rows in one go, and a search waits while it learns of them. */
const BATCH = 400;
/** Batches one after another, the next read while one is written. */
const BATCHES_IN_A_ROW = 8;
/** How far versions go on at once when the index is ahead of them, nobody knows how far. */
const LEAP = 100_000;

/**
 * Brings the oldest changes of the outbox to the index and confirms them; returns how many. The index's write is
 * durable before the outbox forgets, so a kill in between repeats a write that changes nothing. Where many wait, the
 * store is read ahead and told behind while the index writes.
 */
export async function indexWords(
  { database, index }: IndexWordsDeps,
  signal: AbortSignal,
  onWritten: (pages: number) => void = () => undefined,
): Promise<number> {
  let changes = await readIndexOutbox(database, BATCH);
  let telling: Promise<void> = Promise.resolve();
  let [count, told] = [0, [] as readonly number[]];
  for (let batch = 1; changes.length > 0; batch += 1) {
    const isLast = changes.length < BATCH || batch === BATCHES_IN_A_ROW;
    const versions = changes.map(versionOf);
    const reading = isLast ? Promise.resolve([]) : readIndexOutbox(database, BATCH, [...told, ...versions]);
    for (const waitedFor of [reading, telling]) waitedFor.catch(() => undefined); // below, once the index has written
    const written = await writeChanges({ database, index }, changes, signal);
    onWritten(written.length);
    await telling;
    telling = confirmWords(database, written);
    told = versions;
    count += written.length;
    changes = await reading;
  }
  await telling;
  return count;
}

type ConfirmedWords = Parameters<typeof confirmWords>[1];

/** Writes changes to the index; returns what the outbox may forget. */
async function writeChanges(
  { database, index }: IndexWordsDeps,
  changes: readonly IndexChange[],
  signal: AbortSignal,
): Promise<ConfirmedWords> {
  const pages = changes.flatMap((change) => (change.kind === "upsert" ? [toPageToIndex(change)] : []));
  const removed = changes.flatMap((change) => (change.kind === "remove" ? [change] : []));
  const written = pages.length === 0 ? [] : await index.addPages(pages, signal);
  // The store is the truth: what it has now and the index takes for old was written to by another history.
  const refused = written.filter(({ status }) => status === "stale");
  if (refused.length > 0) {
    await requeueAbove(database, refused, Math.max(...refused.map(({ version }) => version)) + LEAP);
  }
  if (removed.length > 0) await index.remove(removed, signal);
  return [
    ...pages.map(({ teamId, url, version, canonicalUrl, text }) => ({
      ...{ teamId, url, version },
      isToEmbed: (canonicalUrl === null || canonicalUrl === url) && text !== "",
    })),
    ...removed.map(({ teamId, url, version }) => ({ teamId, url, version, isToEmbed: false })),
  ];
}

function versionOf(change: IndexChange): number {
  return change.kind === "upsert" ? change.document.version : change.version;
}

/** A stored document as the index takes it. */
export function toPageToIndex({ document, text }: Extract<IndexChange, { kind: "upsert" }>): PageToIndex {
  return {
    teamId: document.teamId,
    url: document.url,
    version: document.version,
    title: document.title,
    headings: (document.details.headings ?? []).map((heading) => heading.text),
    text,
    language: document.language,
    category: document.category,
    author: document.author,
    siteName: document.siteName,
    image: document.image,
    favicon: document.favicon,
    publishedAt: document.publishedAt,
    crawledAt: document.crawledAt,
    canonicalUrl: document.canonicalUrl,
  };
}
