import type { PageToIndex, SearchIndex } from "@quarry/retrieval";
import { confirmWords, readIndexOutbox, requeueAbove, type Database, type IndexChange } from "@quarry/store";

/** What the indexer needs for words. */
export interface IndexWordsDeps {
  readonly database: Database;
  readonly index: Pick<SearchIndex, "addPages" | "remove">;
}

/** Changes taken at once: the index writes so many rows in one go. */
const BATCH = 200;
/** How far versions go on at once when the index is ahead of them, nobody knows how far. */
const LEAP = 100_000;

/**
 * Brings the oldest changes of the outbox to the index and confirms them; returns how many. The index's write is
 * durable before the outbox forgets, so a kill in between repeats a write that changes nothing.
 */
export async function indexWords({ database, index }: IndexWordsDeps, signal: AbortSignal): Promise<number> {
  const changes = await readIndexOutbox(database, BATCH);
  if (changes.length === 0) return 0;
  const pages = changes.flatMap((change) => (change.kind === "upsert" ? [toPageToIndex(change)] : []));
  const removed = changes.flatMap((change) => (change.kind === "remove" ? [change] : []));
  const written = pages.length === 0 ? [] : await index.addPages(pages, signal);
  // The store is the truth: what it has now and the index takes for old was written to by another history.
  const refused = written.filter(({ status }) => status === "stale");
  if (refused.length > 0) {
    await requeueAbove(database, refused, Math.max(...refused.map(({ version }) => version)) + LEAP);
  }
  if (removed.length > 0) await index.remove(removed, signal);
  await confirmWords(database, [
    ...pages.map(({ teamId, url, version, canonicalUrl, text }) => ({
      ...{ teamId, url, version },
      isToEmbed: (canonicalUrl === null || canonicalUrl === url) && text !== "",
    })),
    ...removed.map(({ teamId, url, version }) => ({ teamId, url, version, isToEmbed: false })),
  ]);
  return changes.length;
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
