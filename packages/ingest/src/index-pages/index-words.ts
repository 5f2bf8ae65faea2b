import { AppError } from "@quarry/base";
import type { PageToIndex, SearchIndex, WriteOutcome } from "@quarry/retrieval";
import { confirmWords, readIndexOutbox, requeueAbove, type Database, type IndexChange } from "@quarry/store";

/** What the indexer needs for words. */
export interface IndexWordsDeps {
  readonly database: Database;
  readonly index: Pick<SearchIndex, "addPages" | "remove">;
}

/** How an indexer follows its work. */
export interface IndexWordsOptions {
  readonly onWritten?: (pages: number) => void;
  /** Remembers pages that make the index throw; absent: they throw here, and whatever comes after them waits. */
  readonly setAside?: SetAside;
}

/** Pages that the index cannot take: left in the outbox for another start, they keep nobody waiting. */
export interface SetAside {
  readonly versions: ReadonlySet<number>;
  readonly add: (page: { readonly url: string; readonly version: number }, error: unknown) => void;
}

/** Changes taken at once: the index writes so many rows in one go, and a search waits while it learns of them. */
const BATCH = 400;
/** Batches one after another, the next read while one is written. */
const BATCHES_IN_A_ROW = 8;
/** How far versions go on at once when the index is ahead of them, nobody knows how far. */
const LEAP = 100_000;
/** Of a batch in which one page is at fault, a half without it comes sooner: after more failures the index is at fault. */
const MAX_FAILURES = 12;

/**
 * Brings the oldest changes of the outbox to the index and confirms them; returns how many. The index's write is
 * durable before the outbox forgets, so a kill in between repeats a write that changes nothing. Where many wait, the
 * store is read ahead and told behind while the index writes.
 */
export async function indexWords(
  { database, index }: IndexWordsDeps,
  signal: AbortSignal,
  { onWritten, setAside }: IndexWordsOptions = {},
): Promise<number> {
  const read = (except: readonly number[]): Promise<readonly IndexChange[]> =>
    readIndexOutbox(database, BATCH, { except: [...except, ...(setAside?.versions ?? [])] });
  let changes = await read([]);
  let telling: Promise<void> = Promise.resolve();
  let [count, told] = [0, [] as readonly number[]];
  for (let batch = 1; changes.length > 0; batch += 1) {
    const isLast = changes.length < BATCH || batch === BATCHES_IN_A_ROW;
    const versions = changes.map(versionOf);
    const reading = isLast ? Promise.resolve([]) : read([...told, ...versions]);
    for (const waitedFor of [reading, telling]) waitedFor.catch(() => undefined); // below, once the index has written
    const written = await writeChanges({ database, index }, changes, { setAside, signal });
    onWritten?.(written.length);
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
  { setAside, signal }: { readonly setAside: SetAside | undefined; readonly signal: AbortSignal },
): Promise<ConfirmedWords> {
  const given = changes.flatMap((change) => (change.kind === "upsert" ? [toPageToIndex(change)] : []));
  const removed = changes.flatMap((change) => (change.kind === "remove" ? [change] : []));
  const written = given.length === 0 ? [] : await addPages(index, given, { setAside, signal });
  const pages = given.filter(({ version }) => setAside?.versions.has(version) !== true);
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

/** Adds all pages that can be added. Where none can, the index is at fault and not a page: then it throws. */
async function addPages(
  index: IndexWordsDeps["index"],
  pages: readonly PageToIndex[],
  { setAside, signal }: { readonly setAside: SetAside | undefined; readonly signal: AbortSignal },
): Promise<readonly WriteOutcome[]> {
  const written: WriteOutcome[] = [];
  const bad: { readonly page: PageToIndex; readonly error: unknown }[] = [];
  const left: (readonly PageToIndex[])[] = [pages];
  let failures = 0;
  for (let some = left.pop(); some !== undefined; some = left.pop()) {
    try {
      written.push(...(await index.addPages(some, signal)));
    } catch (error) {
      failures += 1;
      const isOfPage = setAside !== undefined && !signal.aborted && !(error instanceof AppError); // it foresees its own
      if (!isOfPage || (written.length === 0 && failures > MAX_FAILURES)) throw error;
      const [page] = some;
      if (some.length === 1 && page !== undefined) bad.push({ page, error });
      else left.push(some.slice(some.length >> 1), some.slice(0, some.length >> 1));
    }
  }
  if (written.length === 0 && bad[0] !== undefined) throw bad[0].error;
  for (const { page, error } of bad) setAside?.add(page, error);
  return written;
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
