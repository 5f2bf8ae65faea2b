import { readFile } from "node:fs/promises";
import path from "node:path";
import { canonicalUrl } from "@quarry/crawl";
import {
  beginSampleLoad,
  findSharedHistory,
  finishSampleLoad,
  importChunkVectors,
  SHARED_TEAM,
  type SampleWish,
} from "@quarry/store";
import { ingestPages, type IngestDeps } from "../ingest-pages.ts";
import type { PageToIngest } from "../page-to-ingest.ts";
import type { ReadPage } from "../read-page.ts";
import { readSampleManifest, readSamplePages, SAMPLE_VECTORS_FILE, type SamplePage } from "./sample-files.ts";
import { readSamplePage } from "./sample-reading.ts";
import { unpackSampleVectors } from "./sample-vectors.ts";

/** What loading needs. */
export interface LoadSampleDeps extends Omit<IngestDeps, "readPage"> {
  readonly now: () => Date;
  readonly wish: SampleWish;
}

/** What loading did. `not-needed`: this store has the sample, had it once, or had documents before it came. */
export type SampleOutcome =
  | { readonly kind: "not-needed" }
  /** The pages given to the store now, and the vectors of all. */
  | { readonly kind: "loaded"; readonly urls: readonly string[]; readonly vectors: number };

/** Pages saved at a time: the first are found while the last are read. */
const BATCH = 40;

/**
 * Gives the sample to a store that has never had a document, or whose owner asks for it, as pages every team may read. A load that a crash cut
 * short goes on where it stopped; one that is finished never happens again, so that what is deleted stays deleted.
 */
export async function loadSample(deps: LoadSampleDeps, directory: string, signal: AbortSignal): Promise<SampleOutcome> {
  if (!(await beginSampleLoad(deps.database, deps.wish, deps.now()))) return { kind: "not-needed" };
  const manifest = await readSampleManifest(directory);
  // The vectors come first: whoever indexes the pages then finds each in its place, and computes none.
  const vectors = unpackSampleVectors(await readFile(path.join(directory, SAMPLE_VECTORS_FILE)));
  await importChunkVectors(deps.database, vectors);
  const fetchedAt = new Date(manifest.fetchedAt);
  const urls: string[] = [];
  for (const { id } of manifest.sources) {
    const ofSource = await readSamplePages(directory, id);
    for (let start = 0; start < ofSource.length; start += BATCH) {
      signal.throwIfAborted();
      urls.push(...(await loadBatch(deps, ofSource.slice(start, start + BATCH), { fetchedAt, signal })));
    }
  }
  await finishSampleLoad(deps.database, deps.now());
  return { kind: "loaded", urls, vectors: vectors.entries.length };
}

async function loadBatch(
  deps: LoadSampleDeps,
  batch: readonly SamplePage[],
  options: { readonly fetchedAt: Date; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const pages = new Map(
    batch.map((sample) => {
      const page = toPageToIngest(sample, options.fetchedAt);
      return [page.url, { page, sample }];
    }),
  );
  for (const url of await findSharedHistory(deps.database, [...pages.keys()])) pages.delete(url);
  const readPage: ReadPage = ({ url }) => {
    const known = pages.get(url);
    if (known === undefined) return Promise.reject(new Error("asked for a page of another batch"));
    return Promise.resolve({ kind: "read", reading: readSamplePage(known.sample) });
  };
  await ingestPages(
    { ...deps, readPage },
    Array.from(pages.values(), ({ page }) => page),
    { signal: options.signal },
  );
  return [...pages.keys()];
}

/** A page of the sample as the write path takes it. */
export function toPageToIngest(page: SamplePage, fetchedAt: Date): PageToIngest {
  const { title, author, category } = page;
  const publishedAt = page.publishedDate === undefined ? undefined : new Date(page.publishedDate);
  return {
    teamId: SHARED_TEAM,
    url: canonicalUrl(page.url) ?? page.url,
    source: "sample",
    fetchedAt,
    given: { title, author, publishedAt, category },
    content:
      page.text === undefined
        ? { kind: "bytes", bytes: Buffer.from(page.html ?? "", "utf8"), contentType: "text/html; charset=utf-8" }
        : { kind: "text", text: page.text },
  };
}
