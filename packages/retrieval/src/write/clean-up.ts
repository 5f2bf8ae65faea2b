import type { PageTableEntry } from "../tables/catalog.ts";
import { findVersionsByKey } from "../tables/find-keys.ts";
import type { IndexWriter } from "./index-writer.ts";
import { OLD_VERSIONS_MS } from "./seal-table.ts";

/** Drops tables that are out of use for so long that no reader has them open; returns how many. */
export async function dropRetiredTables(writer: IndexWriter): Promise<number> {
  const before = writer.now().getTime() - OLD_VERSIONS_MS;
  const due = writer.tables.contents.catalog.retired.filter(({ retiredMs }) => retiredMs <= before);
  if (due.length === 0) return 0;
  const there = new Set(await writer.tables.connection.tableNames());
  for (const { name } of due) if (there.has(name)) await writer.tables.connection.dropTable(name);
  await writer.exclusively(async () => {
    const { contents } = writer.tables;
    const retired = contents.catalog.retired.filter(({ name }) => !due.some((one) => one.name === name));
    await writer.tables.commit({ ...contents, catalog: { ...contents.catalog, retired } });
  });
  return due.length;
}

/**
 * Joins the files of sealed tables and of the chunks, and drops those that only old versions of them need. A table is
 * looked at once its last change is so old that no reader still sees the state before. `cleaned` remembers the versions.
 */
export async function cleanTables(writer: IndexWriter, cleaned: Map<string, CleanedTable>): Promise<void> {
  const { segments, chunks } = writer.tables.view;
  const nowMs = writer.now().getTime();
  const worn = await findWornTables(writer);
  for (const { entry, table } of [...segments, chunks]) {
    if (worn.some(({ name }) => name === entry.name)) continue; // the engine would write it anew under our lock
    const version = await table.version();
    const last = cleaned.get(entry.name);
    if (last?.version !== version) cleaned.set(entry.name, { version, sinceMs: nowMs, isClean: false });
    else if (!last.isClean && nowMs - last.sinceMs > OLD_VERSIONS_MS) {
      const olderThan = new Date(nowMs - OLD_VERSIONS_MS);
      const clean = (): Promise<unknown> => table.optimize({ cleanupOlderThan: olderThan });
      await (table === chunks.table ? writer.exclusivelyOnChunks(clean) : writer.exclusively(clean));
      cleaned.set(entry.name, { version: await table.version(), sinceMs: nowMs, isClean: true });
    }
  }
}

/** Sealed tables that many rows have left: time to write them anew without. */
export async function findWornTables({ tables }: IndexWriter): Promise<readonly PageTableEntry[]> {
  const worn: PageTableEntry[] = [];
  for (const { entry, table } of tables.view.segments) {
    if ((await table.countRows()) < entry.rowCount * (1 - WORN_SHARE)) worn.push(entry);
  }
  return worn;
}

/** The engine's own limit is a tenth. */
const WORN_SHARE = 0.08;

/** Which version of a table was last seen, since when, and whether it was cleaned then. */
export interface CleanedTable {
  readonly version: number;
  readonly sinceMs: number;
  readonly isClean: boolean;
}

/** Drops tables that nothing lists: an earlier process was killed while it made them. Before the first write only. */
export async function dropUnlistedTables(writer: IndexWriter): Promise<void> {
  const { pageTables, chunkTables, retired } = writer.tables.contents.catalog;
  const listed = new Set([...pageTables, ...chunkTables, ...retired].map(({ name }) => name));
  for (const name of await writer.tables.connection.tableNames()) {
    if (/^(?:pages|chunks)_/.test(name) && !listed.has(name)) await writer.tables.connection.dropTable(name);
  }
}

/** Finds the old rows that an earlier process had noted and not deleted: whatever is in memory in a newer version. */
export async function noteOldRows(writer: IndexWriter): Promise<void> {
  await writer.exclusively(async () => {
    const { segments, tails, chunks } = writer.tables.view;
    const newest = new Map(tails.flatMap(({ pages }) => [...pages.rows()]).map(({ key, version }) => [key, version]));
    if (newest.size === 0) return;
    const keys = [...newest.keys()];
    const isOld = ([key, version]: readonly [string, number]): boolean => version < (newest.get(key) ?? 0);
    const toReplaced =
      (names: readonly string[]) =>
      ([key]: readonly [string, number]) => ({ key, below: newest.get(key) ?? 0, segments: names });
    for (const { entry, table } of segments) {
      const old = [...(await findVersionsByKey(table, keys))].filter(isOld);
      writer.replaced(old.map(toReplaced([entry.name])));
    }
    const oldChunks = [...(await findVersionsByKey(chunks.table, keys, "lowest"))].filter(isOld);
    writer.replaced(oldChunks.map(toReplaced([])));
  });
}
