import type { Embedder } from "@quarry/models";
import type { SearchIndex } from "@quarry/retrieval";
import {
  confirmVectors,
  findPassageVectors,
  importChunkVectors,
  readEmbeddingOutbox,
  type Database,
} from "@quarry/store";
import { cutPassages } from "./cut-passages.ts";

/** What the indexer needs for vectors. */
export interface EmbedPagesDeps {
  readonly database: Database;
  readonly index: Pick<SearchIndex, "addChunks">;
  readonly embedder: Embedder;
}

/** What one round did. */
export interface EmbeddedPages {
  readonly pages: number;
  readonly passages: number;
  /** Passages the model had to read; the vectors of the others were known. */
  readonly embedded: number;
}

/** Pages taken at once, and how much text: a round takes a few seconds at most. */
const BATCH = 50;
const BATCH_CHARACTERS = 400_000;
/** Passages embedded before their vectors are kept: what a kill may cost. */
const PASSAGES_AT_ONCE = 32;

/**
 * Gives vectors to the pages that have waited longest. A passage that was ever embedded by this model is looked up, not
 * computed; what is computed is kept before it is used.
 */
export async function embedPages(deps: EmbedPagesDeps, signal: AbortSignal): Promise<EmbeddedPages> {
  const { database, index, embedder } = deps;
  const documents = await readEmbeddingOutbox(database, { limit: BATCH, maxCharacters: BATCH_CHARACTERS });
  if (documents.length === 0) return { pages: 0, passages: 0, embedded: 0 };
  const pages = documents.map((document) => ({ document, cuts: cutPassages(document) }));
  const passages = new Map(pages.flatMap(({ cuts }) => cuts.map(({ id, hash, chunk }) => [id, { hash, chunk }])));
  const known = new Map(
    await findPassageVectors(
      database,
      embedder.model,
      Array.from(passages.values(), ({ hash }) => hash),
    ),
  );
  const fresh = [...passages].filter(([id]) => !known.has(id));
  for (let start = 0; start < fresh.length; start += PASSAGES_AT_ONCE) {
    const batch = fresh.slice(start, start + PASSAGES_AT_ONCE);
    const vectors = await embedder.embed(
      batch.map(([, { chunk }]) => chunk.passage),
      signal,
    );
    const entries = batch.map(([id, { hash }], place) => ({ id, hash, vector: vectors[place] ?? missing() }));
    await importChunkVectors(database, { model: embedder.model, entries });
    for (const { id, vector } of entries) known.set(id, vector);
  }
  signal.throwIfAborted();
  await index.addChunks(
    pages.map(({ document: { teamId, url, version }, cuts }) => ({
      ...{ teamId, url, version },
      chunks: cuts.map(({ id, chunk: { number, start, end } }) => {
        return { number, start, end, vector: known.get(id) ?? missing() };
      }),
    })),
    signal,
  );
  await confirmVectors(
    database,
    embedder.model,
    pages.map(({ document: { teamId, url, version }, cuts }) => {
      return { teamId, url, version, hashes: cuts.map(({ hash }) => hash) };
    }),
  );
  return { pages: pages.length, passages: passages.size, embedded: fresh.length };
}

function missing(): never {
  throw new Error("the embedder gave fewer vectors than passages");
}
