import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Embedder } from "@quarry/models";
import { chunkText, openSearchIndex, type PageToIndex, type SearchIndex } from "@quarry/retrieval";
import { partsOfTexts, type FindPagesDeps } from "@quarry/search";
import { openCachedEmbedder } from "./cached-embedder.ts";
import type { JudgedDocument, JudgedSet } from "./search-sets.ts";

/** A judged set in a real index: words by the analyser, vectors of chunks by the embedded model. */
export interface SearchWorld extends FindPagesDeps {
  readonly index: SearchIndex;
  readonly embedTexts: Embedder["embed"];
  readonly close: () => Promise<void>;
}

const TEAM = "team_eval";
const BATCH_PAGES = 200;

/** How a world is made. */
export interface SearchWorldOptions {
  /** By default the embedded model; vectors come from the cache where they can. */
  readonly embedder?: Embedder;
  /** A world of words alone has no vectors, and can be asked by keyword only. */
  readonly finds?: "words" | "words and meaning";
}

/** Indexes a set in a directory that goes when the world is closed. */
export async function openSearchWorld(
  set: JudgedSet,
  progress: (line: string) => void,
  { embedder = openCachedEmbedder(set.name, progress), finds = "words and meaning" }: SearchWorldOptions = {},
): Promise<SearchWorld> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-eval-search-"));
  const index = await openSearchIndex({
    url: directory,
    access: "write",
    embedding: { model: embedder.model, dimensions: embedder.dimensions },
    maintenance: "manual",
  });
  const texts = new Map(set.documents.map(({ url, text }) => [url, text]));
  for (let start = 0; start < set.documents.length; start += BATCH_PAGES) {
    const batch = set.documents.slice(start, start + BATCH_PAGES);
    await index.addPages(batch.map(toPage));
    if (finds !== "words") await addVectors(index, embedder, batch);
    progress(
      `${set.name}: ${Math.min(start + BATCH_PAGES, set.documents.length)} of ${set.documents.length} documents`,
    );
  }
  await index.optimize({ full: true });
  const readTexts: FindPagesDeps["readTexts"] = (pages) =>
    Promise.resolve(
      pages.flatMap(({ teamId, url }) => {
        const text = texts.get(url);
        return text === undefined ? [] : [{ teamId, url, text }];
      }),
    );
  return {
    index,
    embedTexts: embedder.embed,
    embedQuery: async (text) => {
      const [vector] = await embedder.embed([text]);
      if (vector === undefined) throw new Error("one text gives one vector");
      return vector;
    },
    findOwnUrls: () => Promise.resolve(new Set()),
    readTexts,
    readParts: partsOfTexts(readTexts),
    now: () => new Date("2026-06-01T00:00:00Z"),
    close: async () => {
      await index.close();
      await embedder.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Cuts pages into chunks and adds the vector of each. */
async function addVectors(index: SearchIndex, embedder: Embedder, pages: readonly JudgedDocument[]): Promise<void> {
  const chunked = pages.map((document) => ({
    url: document.url,
    chunks: chunkText(document.text, [], { title: document.title }),
  }));
  const vectors = await embedder.embed(chunked.flatMap(({ chunks }) => chunks.map(({ passage }) => passage)));
  let next = 0;
  await index.addChunks(
    chunked.map(({ url, chunks }) => ({
      teamId: TEAM,
      url,
      version: 1,
      chunks: chunks.map(({ number, start: from, end }) => {
        const vector = vectors[next] ?? new Float32Array(embedder.dimensions);
        next += 1;
        return { number, start: from, end, vector };
      }),
    })),
  );
}

/** The team whose pages a world holds. */
export const EVAL_TEAM = TEAM;

function toPage({ url, title, text }: JudgedDocument): PageToIndex {
  return {
    teamId: TEAM,
    url,
    version: 1,
    title,
    headings: [],
    text,
    language: "en",
    category: null,
    author: null,
    siteName: null,
    image: null,
    favicon: null,
    publishedAt: null,
    crawledAt: new Date("2026-01-01T00:00:00Z"),
    canonicalUrl: null,
  };
}
