import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { openSearchIndex, type SearchIndexOptions } from "./open-search-index.ts";
import type { SearchIndex } from "./search-index.ts";
import { TEST_DIMENSIONS } from "./testing-pages.ts";

export { makePage, makeVector, TEST_DIMENSIONS } from "./testing-pages.ts";

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
