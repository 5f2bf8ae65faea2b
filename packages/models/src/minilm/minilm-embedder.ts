import type { Embedder } from "../embedder.ts";
import { loadMiniLm } from "./minilm.ts";
import { MINILM, findModelDirectory, readModelFiles } from "./model-files.ts";

/** Queries come again: the next page of results, the same question of another user. At 1.5 KB each. */
const MAX_REMEMBERED = 2_000;
/** Passages are long and never come twice. */
const MAX_REMEMBERED_CHARACTERS = 300;

/** The embedded model in the calling thread: for single queries, where a thread hop would cost more than it saves. */
export async function createMiniLmEmbedder(): Promise<Embedder> {
  const model = await loadMiniLm(await readModelFiles(findModelDirectory()), 1);
  const remembered = new Map<string, Float32Array>();
  const embedOne = async (text: string, signal: AbortSignal | undefined): Promise<readonly Float32Array[]> => {
    const known = remembered.get(text);
    if (known !== undefined) return [known.slice()];
    const vectors = await model.embed([text], signal);
    const [oldest] = remembered.keys();
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    for (const vector of vectors) remembered.set(text, vector.slice());
    return vectors;
  };
  return {
    model: MINILM.model,
    dimensions: MINILM.dimensions,
    embed: async (texts, signal) => {
      signal?.throwIfAborted();
      const [text] = texts;
      const isQuery = texts.length === 1 && text !== undefined && text.length <= MAX_REMEMBERED_CHARACTERS;
      return isQuery ? embedOne(text, signal) : model.embed(texts, signal);
    },
    close: model.close,
  };
}
