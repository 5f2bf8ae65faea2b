import { AppError } from "@quarry/base";
import type { Connection, Table } from "@lancedb/lancedb";
import { Binary, Field, Schema, Table as ArrowTable, vectorFromArray } from "apache-arrow";
import { ANALYSER_VERSION } from "../analysis/analyser.ts";
import { textColumn, textField } from "./columns.ts";

/** Raise it when tables, columns, field weights or the meaning of a row change: older indexes are then built anew. */
export const INDEX_FORMAT = 1;

/** The command that builds an index from the store; named in messages. */
export const REBUILD_COMMAND = "quarry index rebuild";

/**
 * A table of pages. `active`: new rows go there; searched in memory. `sealing`: gets no more rows, its index is being
 * built; searched in memory. `sealed`: searched by the engine; rows only leave it. One table is active; tables are
 * listed in the order they were made.
 */
export interface PageTableEntry {
  readonly name: string;
  readonly state: "active" | "sealing" | "sealed";
  /** Of sealed tables, when they were sealed: all rows, and those of pages that can be found. */
  readonly rowCount: number;
  readonly pageCount: number;
  readonly tokenCount: number;
  readonly languages: readonly string[];
}

/** The tables of chunks, one for each embedding model that was ever used and not dropped since. */
export interface ChunkTableEntry {
  readonly name: string;
  readonly model: string;
  readonly dimensions: number;
  /** How many rows the vector index was trained on; 0 before there is one. */
  readonly trainedOn: number;
}

/** What an index consists of: one small table, replaced as a whole, says so. */
export interface Catalog {
  /** Made with the index: one that was built anew in the same place is another. */
  readonly id: string;
  readonly pageTables: readonly PageTableEntry[];
  readonly chunkTables: readonly ChunkTableEntry[];
  /** Tables out of use; dropped once no reader can still have them open. */
  readonly retired: readonly { readonly name: string; readonly retiredMs: number }[];
  /** Number for the next table's name. */
  readonly nextTable: number;
}

/** A catalog with what goes beside it: the packed term counts of the sealed tables, by name. */
export interface CatalogContents {
  readonly catalog: Catalog;
  readonly termCounts: ReadonlyMap<string, Uint8Array>;
}

/** Opens the catalog; undefined where there is no index. */
export async function openCatalogTable(connection: Connection): Promise<Table | undefined> {
  const names = await connection.tableNames();
  return names.includes(TABLE_NAME) ? connection.openTable(TABLE_NAME) : undefined;
}

/** Makes the catalog of a new index. */
export async function createCatalogTable(connection: Connection, contents: CatalogContents): Promise<Table> {
  return connection.createTable(TABLE_NAME, toRows(contents), { mode: "create", existOk: false });
}

/** Reads the catalog as it is in this table now. Throws `conflict` when another format wrote it. */
export async function readCatalog(table: Table): Promise<CatalogContents> {
  const rows = (await table.query().toArrow()).toArray() as readonly {
    readonly name: string;
    readonly json: string;
    readonly packed: Uint8Array | null;
  }[];
  const jsonOf = (wanted: string): string => rows.find(({ name }) => name === wanted)?.json ?? "{}";
  const format = JSON.parse(jsonOf(FORMAT_ROW)) as FormatRecord;
  if (format.format !== INDEX_FORMAT || format.analyser !== ANALYSER_VERSION) {
    throw new AppError(
      "conflict",
      `the search index has format ${describe(format)}; this program works with ${describe(CURRENT_FORMAT)}. ` +
        `Build it anew from the store: ${REBUILD_COMMAND}`,
    );
  }
  const packed = rows.flatMap((row) => (row.packed === null ? [] : [[row.name, new Uint8Array(row.packed)] as const]));
  return {
    catalog: JSON.parse(jsonOf(CATALOG_ROW)) as Catalog,
    termCounts: new Map(packed),
  };
}

/** Replaces the catalog, all of it or none. */
export async function writeCatalog(table: Table, contents: CatalogContents): Promise<void> {
  await table.add(toRows(contents), { mode: "overwrite" });
}

interface FormatRecord {
  readonly format?: number;
  readonly analyser?: number;
}

const TABLE_NAME = "catalog";
const FORMAT_ROW = "format";
const CATALOG_ROW = "catalog";
const CURRENT_FORMAT: FormatRecord = { format: INDEX_FORMAT, analyser: ANALYSER_VERSION };
const SCHEMA = new Schema([textField("name"), textField("json"), new Field("packed", new Binary(), true)]);

function toRows({ catalog, termCounts }: CatalogContents): ArrowTable {
  const live = new Set(catalog.pageTables.map(({ name }) => name));
  const counts = [...termCounts].filter(([name]) => live.has(name));
  const names = [FORMAT_ROW, CATALOG_ROW, ...counts.map(([name]) => name)];
  const json = [JSON.stringify(CURRENT_FORMAT), JSON.stringify(catalog), ...counts.map(() => "")];
  return new ArrowTable(SCHEMA, {
    name: textColumn(names),
    json: textColumn(json),
    packed: vectorFromArray([null, null, ...counts.map(([, packed]) => packed)], new Binary()),
  });
}

function describe({ format, analyser }: FormatRecord): string {
  return `${format ?? "unknown"}.${analyser ?? "unknown"}`;
}
