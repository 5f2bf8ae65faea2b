import path from "node:path";
import { MINILM } from "@quarry/models";
import { chunkText } from "@quarry/retrieval";
import { hashPassage, importChunkVectors, openDatabase } from "@quarry/store";
import { makeGeneratedVectors } from "./generated-pages.ts";

/** Rows in one statement. */
const BATCH = 5_000;

/**
 * Gives the server made-up vectors of pages that it is about to get. The model would take an hour for all of them on
 * two cores; how near pages are is nothing to how fast they are found. Returns how many passages have one.
 */
export async function importMadeUpVectors(
  dataDirectory: string,
  pages: readonly { readonly title: string; readonly text: string }[],
): Promise<number> {
  const passages = new Set(
    pages.flatMap(({ title, text }) => chunkText(text, [], { title }).map(({ passage }) => passage)),
  );
  const vectors = makeGeneratedVectors(passages.size, MINILM.dimensions);
  const entries = [...passages].flatMap((passage, place) => {
    const vector = vectors[place];
    return vector === undefined ? [] : [{ hash: hashPassage(passage), vector }];
  });
  const host = path.join(dataDirectory, "postgres-socket");
  const db = await openDatabase({ address: { host, port: 5_432, user: "quarry", database: "quarry" } });
  try {
    for (let start = 0; start < entries.length; start += BATCH) {
      await importChunkVectors(db, { model: MINILM.model, entries: entries.slice(start, start + BATCH) });
    }
  } finally {
    await db.close();
  }
  return entries.length;
}
