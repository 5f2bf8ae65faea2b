import type { Catalog, CatalogContents, PageTableEntry } from "../tables/catalog.ts";
import { pageTableName } from "../tables/create-index.ts";
import { deleteByKey, inBatches } from "../tables/find-keys.ts";
import { findInTails, type Tail } from "../tables/index-tables.ts";
import { indexPageTable, PAGE_SCHEMA, toPageTable } from "../tables/page-table.ts";
import type { MemoryPages } from "../pages/memory-pages.ts";
import { TermCounts } from "../pages/term-counts.ts";
import type { IndexWriter } from "./index-writer.ts";

/** How long the mark of a removed page is kept at least, against writes that come late. */
const REMOVED_MARK_MS = 3_600_000;
/** Readers may look at a table as it was so long ago; what is older is cleaned away. */
export const OLD_VERSIONS_MS = 120_000;

/** Opens a new table for what comes; the one so far gets no more rows. */
export async function startSealing(writer: IndexWriter): Promise<void> {
  await writer.exclusively(async () => {
    const { tables } = writer;
    const { catalog } = tables.contents;
    const active = tables.view.tails.at(-1);
    if (active === undefined || active.pages.size === 0) return;
    const since = writer.now().getTime() - REMOVED_MARK_MS;
    const marks = [...active.pages.rows()].filter(({ isRemoved, crawledMs }) => isRemoved && crawledMs > since);
    const name = pageTableName(catalog.nextTable);
    const table = await tables.connection.createEmptyTable(name, PAGE_SCHEMA);
    if (marks.length > 0) await table.add(toPageTable(marks, 1));
    table.close();
    await tables.commit({
      ...tables.contents,
      catalog: {
        ...catalog,
        nextTable: catalog.nextTable + 1,
        pageTables: [
          ...catalog.pageTables.map((entry) =>
            entry.state === "active" ? { ...entry, state: "sealing" as const } : entry,
          ),
          { name, state: "active" as const, rowCount: 0, pageCount: 0, tokenCount: 0, languages: [] },
        ],
      },
    });
  });
}

/** Builds the index of a table that gets no more rows, and hands it from memory to the engine. Can be done again after a crash. */
export async function finishSealing(writer: IndexWriter, tail: Tail): Promise<void> {
  const { table, pages, entry } = tail;
  await writer.deleteOldRows(); // of other tables: only this one, in memory, hides them
  await table.delete("is_removed");
  for (const batch of inBatches(pages.superseded)) {
    await table.delete(batch.map(({ key, version }) => `(key = '${key}' AND version = ${version})`).join(" OR "));
  }
  const isEmpty = (await table.countRows()) === 0;
  if (!isEmpty) {
    await table.optimize({ cleanupOlderThan: new Date(writer.now().getTime() - OLD_VERSIONS_MS) });
    await indexPageTable(table);
  }
  const packedCounts = await TermCounts.ofTexts(textsOf(pages)).pack();
  await writer.exclusively(async () => {
    const { tables } = writer;
    const newer = tables.view.tails.slice(tables.view.tails.findIndex((other) => other.entry.name === entry.name) + 1);
    const replaced = [...pages.rows()].flatMap(({ key }) => {
      const version = findInTails(newer, key)?.version;
      return version === undefined ? [] : [{ key, below: version }];
    });
    await deleteByKey(table, replaced);
    const { contents } = tables;
    await tables.commit(
      isEmpty ? withoutTable(contents, tail, writer.now()) : withSealed(contents, tail, packedCounts),
    );
  });
}

function* textsOf(pages: MemoryPages): Generator<string> {
  for (const { text } of pages.rows()) yield text;
}

function withSealed(
  { catalog, termCounts }: CatalogContents,
  { entry, pages }: Tail,
  packedCounts: Uint8Array,
): CatalogContents {
  const languages = new Set([...pages.rows()].flatMap(({ language }) => (language === null ? [] : [language])));
  const sealed: PageTableEntry = {
    ...entry,
    state: "sealed",
    rowCount: pages.size,
    pageCount: pages.pageCount,
    tokenCount: pages.tokenCount,
    languages: [...languages].sort(),
  };
  return {
    catalog: replaceTables(catalog, [entry.name], [sealed]),
    termCounts: new Map([...termCounts, [entry.name, packedCounts]]),
  };
}

function withoutTable({ catalog, termCounts }: CatalogContents, { entry }: Tail, now: Date): CatalogContents {
  const retired = [...catalog.retired, { name: entry.name, retiredMs: now.getTime() }];
  return { catalog: { ...replaceTables(catalog, [entry.name], []), retired }, termCounts };
}

/** The catalog with some page tables replaced, the new ones in the place of the first. */
export function replaceTables(catalog: Catalog, names: readonly string[], by: readonly PageTableEntry[]): Catalog {
  const first = catalog.pageTables.findIndex(({ name }) => names.includes(name));
  const rest = catalog.pageTables.filter(({ name }) => !names.includes(name));
  return { ...catalog, pageTables: [...rest.slice(0, first), ...by, ...rest.slice(first)] };
}
