import type { Table } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";
import { TermCounts } from "../pages/term-counts.ts";
import type { CatalogContents, PageTableEntry } from "../tables/catalog.ts";
import { pageTableName } from "../tables/create-index.ts";
import { indexPageTable, PAGE_SCHEMA } from "../tables/page-table.ts";
import type { IndexWriter } from "./index-writer.ts";
import { OLD_VERSIONS_MS, replaceTables } from "./seal-table.ts";

/**
 * Copies sealed tables into one new one, and puts it in their place. Searches and writes go on: pages that leave the
 * old tables meanwhile are noted and leave the new one before it is used. A crash leaves a table nobody lists.
 */
export async function mergeTables(
  writer: IndexWriter,
  sources: readonly PageTableEntry[],
  signal: AbortSignal,
): Promise<void> {
  const { tables } = writer;
  const name = await takeTableName(writer);
  const merged = await tables.connection.createEmptyTable(name, PAGE_SCHEMA);
  writer.beginMerge();
  try {
    for (const { table } of tables.view.segments.filter(({ entry }) =>
      sources.some((one) => one.name === entry.name),
    )) {
      await copyRows(table, merged, signal);
    }
    const rowCount = await merged.countRows();
    const pageCount = await merged.countRows("NOT is_duplicate");
    if (rowCount > 0) {
      await merged.optimize({ cleanupOlderThan: new Date(writer.now().getTime() - OLD_VERSIONS_MS) });
      signal.throwIfAborted();
      await indexPageTable(merged);
    }
    signal.throwIfAborted();
    const packedCounts = await sumPackedCounts(tables.contents, sources);
    await writer.exclusively(async () => {
      await writer.finishMerge(merged);
      await tables.commit(
        withMerged(tables.contents, sources, { name, rowCount, pageCount, packedCounts }, writer.now()),
      );
    });
  } catch (error) {
    writer.abandonMerge(); // the table stays, unlisted, until the index is opened again
    throw error;
  } finally {
    merged.close();
  }
}

/** Rows a step of the copy holds in memory. */
const COPIED_ROWS = 2_000;

async function copyRows(from: Table, to: Table, signal: AbortSignal): Promise<void> {
  let batches: RecordBatch[] = [];
  const write = async (): Promise<void> => {
    const [first] = batches;
    if (first !== undefined) await to.add({ schema: first.schema, batches });
    batches = [];
  };
  for await (const batch of from.query()) {
    signal.throwIfAborted();
    batches.push(batch);
    if (batches.reduce((sum, { numRows }) => sum + numRows, 0) >= COPIED_ROWS) await write();
  }
  await write();
}

/** A name no other table gets, even if this merge is given up. */
function takeTableName(writer: IndexWriter): Promise<string> {
  return writer.exclusively(async () => {
    const { contents } = writer.tables;
    const { nextTable } = contents.catalog;
    await writer.tables.commit({ ...contents, catalog: { ...contents.catalog, nextTable: nextTable + 1 } });
    return pageTableName(nextTable);
  });
}

async function sumPackedCounts(
  { termCounts }: CatalogContents,
  sources: readonly PageTableEntry[],
): Promise<Uint8Array> {
  const sum = TermCounts.empty();
  for (const { name } of sources) {
    const packed = termCounts.get(name);
    if (packed !== undefined) sum.addAll(await TermCounts.unpack(packed));
  }
  return sum.pack();
}

interface MergedTable {
  readonly name: string;
  readonly rowCount: number;
  readonly pageCount: number;
  readonly packedCounts: Uint8Array;
}

function withMerged(
  { catalog, termCounts }: CatalogContents,
  sources: readonly PageTableEntry[],
  merged: MergedTable,
  now: Date,
): CatalogContents {
  const names = sources.map(({ name }) => name);
  const sum = (count: (entry: PageTableEntry) => number): number => sources.reduce((all, one) => all + count(one), 0);
  const averageLength =
    sum(({ tokenCount }) => tokenCount) /
    Math.max(
      1,
      sum(({ pageCount }) => pageCount),
    );
  const entry: PageTableEntry = {
    name: merged.name,
    state: "sealed",
    rowCount: merged.rowCount,
    pageCount: merged.pageCount,
    tokenCount: Math.round(averageLength * merged.pageCount), // pages that left took their words with them
    languages: [...new Set(sources.flatMap(({ languages }) => languages))].sort(),
  };
  const isEmpty = merged.rowCount === 0;
  const unused = isEmpty ? [...names, merged.name] : names;
  return {
    catalog: {
      ...replaceTables(catalog, names, isEmpty ? [] : [entry]),
      retired: [...catalog.retired, ...unused.map((name) => ({ name, retiredMs: now.getTime() }))],
    },
    termCounts: new Map([...termCounts, [merged.name, merged.packedCounts]]),
  };
}
