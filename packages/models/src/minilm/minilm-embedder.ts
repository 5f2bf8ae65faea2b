import type { Embedder } from "../embedder.ts";
import { loadMiniLm } from "./minilm.ts";
import { MINILM, findModelDirectory, readModelFiles } from "./model-files.ts";

/** The embedded model in the calling thread: for single queries, where a thread hop would cost more than it saves. */
export async function createMiniLmEmbedder(): Promise<Embedder> {
  const model = await loadMiniLm(await readModelFiles(findModelDirectory()), 1);
  return { model: MINILM.model, dimensions: MINILM.dimensions, embed: model.embed, close: model.close };
}
