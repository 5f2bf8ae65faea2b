import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createFakeEmbedder, type Embedder } from "@quarry/models";
import { chunkText, openSearchIndex, type PageToIndex, type SearchIndex } from "@quarry/retrieval";
import type { FindPagesDeps } from "./find/page-query.ts";
import { partsOfTexts } from "./find/read-parts.ts";

export { makeContentPage } from "./contents/testing-content-page.ts";

/** A small world to search in: a real index in a directory of its own, gone when the test ends. */
export interface TestWorld extends FindPagesDeps {
  readonly index: SearchIndex;
  /** Adds pages, by words and, unless told otherwise, by vectors. */
  readonly add: (pages: readonly Partial<PageToIndex>[], options?: { readonly vectors?: boolean }) => Promise<void>;
}

/** An empty world, with the fake embedder unless another is given; `deps` replaces what a test is about. */
export async function makeWorld(
  deps: Partial<FindPagesDeps> = {},
  embedder: Embedder = createFakeEmbedder(),
): Promise<TestWorld> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-search-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const index = await openSearchIndex({
    url: directory,
    access: "write",
    embedding: { model: embedder.model, dimensions: embedder.dimensions },
    maintenance: "manual",
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => index.close());
  const pages: PageToIndex[] = [];
  const readTexts: FindPagesDeps["readTexts"] = (wanted) =>
    Promise.resolve(
      pages.filter((page) => wanted.some(({ teamId, url }) => teamId === page.teamId && url === page.url)),
    );
  return {
    index,
    embedQuery: async (text) => firstVector(embedder, text),
    findOwnUrls: (teamId, urls) =>
      Promise.resolve(new Set(urls.filter((url) => pages.some((page) => page.teamId === teamId && page.url === url)))),
    readTexts,
    readParts: partsOfTexts(readTexts),
    now: () => new Date("2026-06-01T00:00:00Z"),
    ...deps,
    add: async (given, options = {}) => {
      const added = given.map((page) => makePage(page));
      pages.push(...added);
      await index.addPages(added);
      if (options.vectors === false) return;
      for (const page of added) {
        const chunks = chunkText(page.text, [], { title: page.title });
        const vectors = await embedder.embed(chunks.map(({ passage }) => passage));
        await index.addChunks([
          {
            teamId: page.teamId,
            url: page.url,
            version: page.version,
            chunks: chunks.map(({ number, start, end }, place) => ({
              number,
              start,
              end,
              vector: vectors[place] ?? new Float32Array(embedder.dimensions),
            })),
          },
        ]);
      }
    },
  };
}

/** A page, for tests that change only what they are about. */
export function makePage(page: Partial<PageToIndex>): PageToIndex {
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

async function firstVector(embedder: Embedder, text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text]);
  if (vector === undefined) throw new Error("one text gives one vector");
  return vector;
}
