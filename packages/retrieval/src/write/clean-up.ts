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
