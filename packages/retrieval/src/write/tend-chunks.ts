import { indexChunkTable, VECTOR_INDEX } from "../tables/chunk-table.ts";
import type { ChunkTableEntry } from "../tables/catalog.ts";
import type { IndexWriter } from "./index-writer.ts";
import type { MergeMode } from "./plan-merge.ts";
import { OLD_VERSIONS_MS } from "./seal-table.ts";

/** Fewer vectors than this are compared one by one, in five milliseconds. */
export const MIN_TRAINED_CHUNKS = 4_000;
/** The vector index is trained anew when the table has grown so many times. */
const GROWTH_BEFORE_TRAINING = 4;
/** Chunks without an index cost a search 1.3 µs each; adding them to it rewrites the table. */
const MAX_UNINDEXED_CHUNKS = 1_000;
const MAX_UNINDEXED_SHARE = 0.03;
/** At rest fewer: each write left a file of its own, and searches read them all, which takes longer than the index does. */
const MAX_UNINDEXED_CHUNKS_AT_REST = 100;
const MAX_UNINDEXED_SHARE_AT_REST = 0.002;
/** Writes make small files; so many are joined even when there is nothing to index. */
const MAX_SMALL_FILES = 100;

/** Trains the index of the vectors, or adds new ones to it, when that is due; in mode `full`, whenever there are any. */
export async function tendChunks(writer: IndexWriter, mode: MergeMode): Promise<boolean> {
  return writer.exclusivelyOnChunks(async () => {
    const { table, entry } = writer.tables.view.chunks;
    const rows = await table.countRows();
    if (rows >= MIN_TRAINED_CHUNKS && rows >= entry.trainedOn * GROWTH_BEFORE_TRAINING) {
      await indexChunkTable(table, rows);
      await noteTraining(writer, entry, rows);
      return true;
    }
    const unindexed = entry.trainedOn === 0 ? 0 : ((await table.indexStats(VECTOR_INDEX))?.numUnindexedRows ?? 0);
    const allowed = allowedUnindexed(rows, mode);
    const { fragmentStats } = await table.stats();
    if (unindexed <= allowed && fragmentStats.numSmallFragments <= MAX_SMALL_FILES) return false;
    await table.optimize({ cleanupOlderThan: new Date(writer.now().getTime() - OLD_VERSIONS_MS) });
    return true;
  });
}

/** How many chunks may be without an index in a table of so many. */
export function allowedUnindexed(rows: number, mode: MergeMode): number {
  switch (mode) {
    case "busy":
      return Math.max(MAX_UNINDEXED_CHUNKS, rows * MAX_UNINDEXED_SHARE);
    case "idle":
      return Math.max(MAX_UNINDEXED_CHUNKS_AT_REST, rows * MAX_UNINDEXED_SHARE_AT_REST);
    case "full":
      return 0;
  }
}

async function noteTraining(writer: IndexWriter, { name }: ChunkTableEntry, rows: number): Promise<void> {
  await writer.exclusively(async () => {
    const { contents } = writer.tables;
    const chunkTables = contents.catalog.chunkTables.map((entry) =>
      entry.name === name ? { ...entry, trainedOn: rows } : entry,
    );
    await writer.tables.commit({ ...contents, catalog: { ...contents.catalog, chunkTables } });
  });
}
