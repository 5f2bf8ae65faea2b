import type { Connection, Table } from "@lancedb/lancedb";
import { createHash, randomUUID } from "node:crypto";
import { createCatalogTable, readCatalog, writeCatalog, type Catalog } from "./catalog.ts";
import { chunkSchema } from "./chunk-table.ts";
import { PAGE_SCHEMA } from "./page-table.ts";

/** A model and how many numbers its vectors have. */
export interface EmbeddingModel {
  readonly model: string;
  readonly dimensions: number;
}

/** Makes an empty index. What a killed process had begun is written over. */
export async function createIndex(connection: Connection): Promise<Table> {
  // Names that no index in this place had before: who has the old one open must not take our tables for its own.
  const number = Date.now();
  const name = pageTableName(number);
  const table = await connection.createEmptyTable(name, PAGE_SCHEMA, { mode: "overwrite" });
  table.close();
  const catalog: Catalog = {
    id: randomUUID(),
    pageTables: [{ name, state: "active", rowCount: 0, pageCount: 0, tokenCount: 0, languages: [] }],
    chunkTables: [],
    retired: [],
    nextTable: number + 1,
  };
  return createCatalogTable(connection, { catalog, termCounts: new Map() });
}

/** Makes the table for a model's vectors unless it is there. Those of other models go: pages have changed since. */
export async function useModel(
  connection: Connection,
  catalogTable: Table,
  model: EmbeddingModel,
  now: Date,
): Promise<void> {
  const contents = await readCatalog(catalogTable);
  const { chunkTables, retired } = contents.catalog;
  const name = chunkTableName(model);
  const known = chunkTables.find((entry) => entry.name === name);
  if (known !== undefined && chunkTables.length === 1) return;
  if (known === undefined) {
    const table = await connection.createEmptyTable(name, chunkSchema(model.dimensions), { mode: "overwrite" });
    table.close();
  }
  const entry = known ?? { name, model: model.model, dimensions: model.dimensions, trainedOn: 0 };
  const others = chunkTables.filter((one) => one.name !== name);
  await writeCatalog(catalogTable, {
    ...contents,
    catalog: {
      ...contents.catalog,
      chunkTables: [entry],
      retired: [
        ...retired.filter((one) => one.name !== name),
        ...others.map((one) => ({ name: one.name, retiredMs: now.getTime() })),
      ],
    },
  });
}

/** The name of the page table of a number. */
export function pageTableName(number: number): string {
  return `pages_${number}`;
}

/** The name of the table for a model's vectors. */
export function chunkTableName({ model, dimensions }: EmbeddingModel): string {
  return `chunks_${dimensions}_${createHash("sha256").update(model).digest("hex").slice(0, 12)}`;
}
