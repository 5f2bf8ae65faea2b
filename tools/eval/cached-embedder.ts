import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createMiniLmEmbedder, MINILM, type Embedder } from "@quarry/models";

/** Below node_modules, so that it goes with an installation and never into the repository. */
const FOLDER = path.join("node_modules", ".cache", "search-eval");
const SAVE_EVERY = 64;

/**
 * The embedded model with a memory on disk, one file a name: a passage is embedded once, whatever evaluation asks.
 * The model is loaded when the first text is new.
 */
export function openCachedEmbedder(name: string, progress: (line: string) => void): Embedder {
  mkdirSync(FOLDER, { recursive: true });
  const file = path.join(FOLDER, `${name}-${keyOf(MINILM.model).slice(0, 8)}.vectors`);
  const known = readVectors(file);
  let model: Promise<Embedder> | undefined;
  return {
    model: MINILM.model,
    dimensions: MINILM.dimensions,
    embed: async (texts, signal) => {
      const fresh = [...new Map(texts.map((text) => [keyOf(text), text]))].filter(([key]) => !known.has(key));
      if (fresh.length > 0) model ??= createMiniLmEmbedder();
      for (let start = 0; start < fresh.length; start += SAVE_EVERY) {
        const batch = fresh.slice(start, start + SAVE_EVERY);
        const vectors =
          (await (
            await model
          )?.embed(
            batch.map(([, text]) => text),
            signal,
          )) ?? [];
        for (const [index, [key]] of batch.entries()) known.set(key, vectors[index] ?? noVector());
        appendFileSync(file, Buffer.concat(batch.map(([key]) => toRecord(key, known.get(key) ?? noVector()))));
        if (fresh.length > 5 * SAVE_EVERY) progress(`${name}: embedded ${start + batch.length} of ${fresh.length}`);
      }
      return texts.map((text) => known.get(keyOf(text)) ?? noVector());
    },
    close: async () => (await model)?.close(),
  };
}

const KEY_BYTES = 16;
const RECORD_BYTES = KEY_BYTES + MINILM.dimensions * 4;

function readVectors(file: string): Map<string, Float32Array> {
  const known = new Map<string, Float32Array>();
  if (!existsSync(file)) return known;
  const bytes = readFileSync(file);
  for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
    const numbers = bytes.buffer.slice(bytes.byteOffset + at + KEY_BYTES, bytes.byteOffset + at + RECORD_BYTES);
    known.set(bytes.toString("hex", at, at + KEY_BYTES), new Float32Array(numbers));
  }
  return known;
}

function toRecord(key: string, vector: Float32Array): Buffer {
  return Buffer.concat([Buffer.from(key, "hex"), Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)]);
}

function keyOf(text: string): string {
  return createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, KEY_BYTES * 2);
}

function noVector(): never {
  throw new Error("the model gave fewer vectors than it got texts");
}
