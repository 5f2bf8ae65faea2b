import { createHash } from "node:crypto";
import type { Embedder } from "./embedder.ts";

/**
 * A deterministic stand-in for tests: texts that share words get near vectors. Each word has a fixed random
 * direction made from its hash; a text is the sum of its words.
 */
export function createFakeEmbedder(dimensions = 32): Embedder {
  return {
    model: `fake/${dimensions}`,
    dimensions,
    embed: (texts, signal) => {
      signal?.throwIfAborted();
      return Promise.resolve(texts.map((text) => embedText(text, dimensions)));
    },
    close: () => Promise.resolve(),
  };
}

function embedText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    for (let dimension = 0; dimension < dimensions; dimension += 32) {
      const bytes = createHash("sha256").update(`${dimension} ${word}`).digest();
      for (let index = 0; index < Math.min(32, dimensions - dimension); index += 1) {
        vector[dimension + index] = (vector[dimension + index] ?? 0) + (bytes[index] ?? 0) - 127.5;
      }
    }
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
