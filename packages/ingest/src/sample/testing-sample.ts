import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import { hashPassage } from "@quarry/store";
import { SAMPLE_VECTORS_FILE, type SamplePage } from "./sample-files.ts";
import { packSampleVectors } from "./sample-vectors.ts";

/** Writes a small sample into `directory`: one source with these pages, and a vector for each of these passages. */
export async function writeTinySample(
  directory: string,
  pages: readonly SamplePage[],
  passages: readonly string[] = ["a passage"],
): Promise<void> {
  await mkdir(path.join(directory, "pages"), { recursive: true });
  const source = { id: "tiny", name: "Tiny", licence: "CC0-1.0", attribution: "", package: "", kind: "npm" };
  const manifest = { format: 1, fetchedAt: "2026-01-01T00:00:00.000Z", sources: [{ ...source, pages: pages.length }] };
  await writeFile(path.join(directory, "manifest.json"), JSON.stringify(manifest));
  const lines = pages.map((page) => `${JSON.stringify(page)}\n`).join("");
  await writeFile(path.join(directory, "pages", "tiny.ndjson.br"), brotliCompressSync(lines));
  const entries = passages.map((passage) => ({ hash: hashPassage(passage), vector: new Float32Array([0.6, -0.8]) }));
  await writeFile(path.join(directory, SAMPLE_VECTORS_FILE), packSampleVectors({ model: "tiny/1", entries }));
}
