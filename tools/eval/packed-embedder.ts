import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { unpackSampleVectors } from "@quarry/ingest";
import { createMiniLmEmbedder, MINILM, type Embedder } from "@quarry/models";
import { hashPassage } from "@quarry/store";
import type { SearchSetName } from "./search-sets.ts";

/** The sets whose vectors are kept, so that a test run can rank them whole: the model would take minutes for each. */
export const PACKED_SETS = ["nfcorpus", "cranfield", "cacm", "cosqa"] as const satisfies readonly SearchSetName[];

/** The name of such a set. */
export type PackedSetName = (typeof PACKED_SETS)[number];

/** Where the vectors of a set are kept, from the root of the repository. */
export function packedFileOf(name: PackedSetName): string {
  return path.join("tools", "eval", "vectors", `${name}.bin`);
}

/** More texts than this whose vectors are not kept mean that passages are cut otherwise now, or queries read otherwise. */
const MAX_UNKNOWN_TEXTS = 100;

/**
 * An embedder that has the vectors of one set's passages and test queries. A few other texts (parts of a query that a
 * deep search looks for) are embedded by the model; at more of them it throws, and says how the file is made anew.
 */
export function openPackedEmbedder(file: string): Embedder {
  if (!existsSync(file)) throw new Error(`${file} is missing; ${HOW_TO_MAKE}`);
  const { model: name, entries } = unpackSampleVectors(readFileSync(file));
  if (name !== MINILM.model) throw new Error(`the vectors in ${file} are of another model; ${HOW_TO_MAKE}`);
  const known = new Map(entries.map(({ hash, vector }) => [keyOf(hash), vector]));
  let unknown = 0;
  let model: Promise<Embedder> | undefined;
  const embedOne = async (text: string): Promise<Float32Array> => {
    const key = keyOf(hashPassage(text));
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    unknown += 1;
    if (unknown > MAX_UNKNOWN_TEXTS) throw new Error(`no vector is kept for "${text.slice(0, 60)}"; ${HOW_TO_MAKE}`);
    model ??= createMiniLmEmbedder();
    const [vector] = await (await model).embed([text]);
    if (vector === undefined) throw new Error("one text gives one vector");
    known.set(key, vector);
    return vector;
  };
  return {
    model: name,
    dimensions: MINILM.dimensions,
    embed: (texts) => Promise.all(texts.map(embedOne)),
    close: async () => (await model)?.close(),
  };
}

const HOW_TO_MAKE = "make it with `node tools/run-typescript.mjs tools/eval/pack-vectors.ts`";

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}
