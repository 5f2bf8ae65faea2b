import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import {
  cutSamplePage,
  packSampleVectors,
  readSampleManifest,
  readSamplePages,
  unpackSampleVectors,
} from "@quarry/ingest";
import { createMiniLmEmbedder } from "@quarry/models";
import type { PassageVector } from "@quarry/store";

/** Makes the sample's vectors anew: embeds each passage that the file does not have yet, drops those no page has. */
const { values } = parseArgs({ options: { out: { type: "string", default: "sample" } } });
const file = path.join(values.out, "vectors.bin");
const BATCH = 32;

const embedder = await createMiniLmEmbedder();
const known = new Map<string, PassageVector>();
if (existsSync(file)) {
  const { model, entries } = unpackSampleVectors(await readFile(file));
  if (model === embedder.model) for (const entry of entries) known.set(keyOf(entry.hash), entry);
}

const manifest = await readSampleManifest(values.out);
const entries = new Map<string, PassageVector>();
const missing = new Map<string, string>();
let pages = 0;
for (const { id } of manifest.sources) {
  for (const page of await readSamplePages(values.out, id)) {
    pages += 1;
    for (const { id: key, chunk } of cutSamplePage(page)) {
      const entry = known.get(key);
      if (entry === undefined) missing.set(key, chunk.passage);
      else entries.set(key, entry);
    }
  }
}
process.stdout.write(`${pages} pages, ${entries.size + missing.size} passages, ${missing.size} to embed\n`);

const passages = [...missing];
for (let start = 0; start < passages.length; start += BATCH) {
  const batch = passages.slice(start, start + BATCH);
  const vectors = await embedder.embed(batch.map(([, passage]) => passage));
  for (const [index, vector] of vectors.entries()) {
    const [key = ""] = batch[index] ?? [];
    entries.set(key, { hash: Buffer.from(key, "hex"), vector });
  }
  if (start % (BATCH * 20) === 0) process.stdout.write(`${start} of ${passages.length}\n`);
}
await embedder.close();

// In the order of their hashes: the same passages make the same file.
const ordered = [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
await writeFile(file, packSampleVectors({ model: embedder.model, entries: ordered }));

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}
