import type { Session } from "@lancedb/lancedb";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { ANALYSER_VERSION } from "../analysis/analyser.ts";
import { literal } from "../filter/filter-sql.ts";
import type { IndexStats } from "../search-index.ts";
import { INDEX_FORMAT } from "../tables/catalog.ts";
import { VECTOR_INDEX } from "../tables/chunk-table.ts";
import { isReplaced, type IndexView } from "../tables/index-tables.ts";

/** See `SearchIndex.stats`. */
export async function readStats(
  view: IndexView,
  { directory, session }: { readonly directory: string | undefined; readonly session: Session },
): Promise<IndexStats> {
  const { segments, tails, chunks } = view;
  const sealed = await Promise.all(segments.map(({ table }) => table.countRows("NOT is_duplicate")));
  const rows = tails.flatMap((tail) =>
    [...tail.pages.rows()].filter((row) => !row.isRemoved && !row.isDuplicate && !isReplaced(tails, tail, row)),
  );
  const languages = await countLanguages(view, rows);
  const chunkCount = await chunks.table.countRows();
  const unindexed =
    chunks.entry.trainedOn === 0 ? chunkCount : ((await chunks.table.indexStats(VECTOR_INDEX))?.numUnindexedRows ?? 0);
  return {
    format: `${INDEX_FORMAT}.${ANALYSER_VERSION}`,
    pages: sealed.reduce((sum, count) => sum + count, 0) + rows.length,
    chunks: chunkCount,
    languages,
    unindexedPages: rows.length,
    unindexedChunks: unindexed,
    pageTables: segments.length + tails.length,
    model: chunks.entry.model,
    diskBytes: directory === undefined ? await sizeOfTables(view) : await sizeOfDirectory(directory),
    cacheBytes: Number(session.sizeBytes()),
  };
}

async function countLanguages(
  { segments }: IndexView,
  rows: readonly { readonly language: string | null }[],
): Promise<IndexStats["languages"]> {
  const counts = new Map<string, number>();
  const add = (language: string, pages: number): void => void counts.set(language, (counts.get(language) ?? 0) + pages);
  for (const { language } of rows) if (language !== null) add(language, 1);
  for (const { entry, table } of segments) {
    for (const language of entry.languages) {
      add(language, await table.countRows(`language = ${literal(language)} AND NOT is_duplicate`));
    }
  }
  return Array.from(counts, ([language, pages]) => ({ language, pages })).sort((one, other) => other.pages - one.pages);
}

/** Without old versions that are still to be cleaned away. */
async function sizeOfTables({ segments, tails, chunks }: IndexView): Promise<number> {
  const sizes = await Promise.all(
    [...segments, ...tails, chunks].map(async ({ table }) => (await table.stats()).totalBytes),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOfDirectory(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => {
      const place = path.join(file.parentPath, file.name);
      const found = await stat(place).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // cleaned away meanwhile
        throw error;
      });
      return found?.size ?? 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
