import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { openSearchIndex, type SearchIndexOptions } from "./open-search-index.ts";
import type { PageToIndex } from "./pages/page-row.ts";
import type { SearchIndex } from "./search-index.ts";

/** The numbers a vector has in tests. */
export const TEST_DIMENSIONS = 8;

/** A directory that goes when the test ends. */
export function makeDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-retrieval-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An index in a directory of its own, written to by the test alone; closed when the test ends. */
export async function openTestIndex(options: Partial<SearchIndexOptions> = {}): Promise<SearchIndex> {
  const index = await openSearchIndex({
    url: options.url ?? makeDirectory(),
    access: "write",
    embedding: { model: "test", dimensions: TEST_DIMENSIONS },
    maintenance: "manual",
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(() => index.close());
  return index;
}

/** A page with a number, for tests that change only what they are about. */
export function makePage(page: Partial<PageToIndex> = {}): PageToIndex {
  return {
    teamId: "team",
    url: "https://example.com/page",
    version: 1,
    title: null,
    headings: [],
    text: "",
    language: "en",
    category: null,
    author: null,
    siteName: null,
    image: null,
    favicon: null,
    publishedAt: null,
    crawledAt: new Date("2026-01-01T00:00:00Z"),
    canonicalUrl: null,
    ...page,
  };
}

/** A vector of length 1 that points along one axis, a little towards the next. */
export function makeVector(axis: number, lean = 0): Float32Array {
  const vector = new Float32Array(TEST_DIMENSIONS);
  vector[axis % TEST_DIMENSIONS] = Math.sqrt(1 - lean * lean);
  vector[(axis + 1) % TEST_DIMENSIONS] = lean;
  return vector;
}
