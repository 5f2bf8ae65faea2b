import type { Table } from "@lancedb/lancedb";
import { Field, FixedSizeList, Float32, makeData, makeVector, Schema, Table as ArrowTable } from "apache-arrow";
import { Index } from "../engine.ts";
import type { FilteredPage } from "../filter/filter-page.ts";
import {
  integerColumn,
  integerField,
  optionalIntegerField,
  optionalTextColumn,
  optionalTextField,
  smallIntegerColumn,
  smallIntegerField,
  textColumn,
  textField,
  textListColumn,
  textListField,
} from "./columns.ts";

/** A chunk with its vector and what filters ask of its page. */
export interface ChunkRow {
  readonly page: FilteredPage & { readonly key: string; readonly version: number; readonly facts: string };
  readonly number: number;
  /** UTF-16 offsets into the page's extracted text. */
  readonly start: number;
  readonly end: number;
  /** Of length 1. */
  readonly vector: Float32Array;
}

/** The columns of a table of chunks for vectors of so many numbers. */
export function chunkSchema(dimensions: number): Schema {
  return new Schema([
    textField("key"),
    integerField("version"),
    smallIntegerField("number"),
    smallIntegerField("start"),
    smallIntegerField("end"),
    textField("facts"),
    textField("team"),
    textField("host"),
    textListField("sites"),
    textField("path"),
    optionalTextField("category"),
    optionalTextField("language"),
    optionalIntegerField("published"),
    integerField("crawled"),
    new Field("vector", vectorType(dimensions), false),
  ]);
}

/** Rows as the engine takes them. */
export function toChunkTable(rows: readonly ChunkRow[], dimensions: number): ArrowTable {
  const numbers = new Float32Array(rows.length * dimensions);
  for (const [index, { vector }] of rows.entries()) numbers.set(vector, index * dimensions);
  const child = makeData({ type: new Float32(), data: numbers, length: numbers.length });
  return new ArrowTable(chunkSchema(dimensions), {
    key: textColumn(rows.map(({ page }) => page.key)),
    version: integerColumn(rows.map(({ page }) => page.version)),
    number: smallIntegerColumn(rows.map(({ number }) => number)),
    start: smallIntegerColumn(rows.map(({ start }) => start)),
    end: smallIntegerColumn(rows.map(({ end }) => end)),
    facts: textColumn(rows.map(({ page }) => page.facts)),
    team: textColumn(rows.map(({ page }) => page.teamId)),
    host: textColumn(rows.map(({ page }) => page.host)),
    sites: textListColumn(rows.map(({ page }) => page.sites)),
    path: textColumn(rows.map(({ page }) => page.path)),
    category: optionalTextColumn(rows.map(({ page }) => page.category)),
    language: optionalTextColumn(rows.map(({ page }) => page.language)),
    published: integerColumn(rows.map(({ page }) => page.publishedMs)),
    crawled: integerColumn(rows.map(({ page }) => page.crawledMs)),
    vector: makeVector(makeData({ type: vectorType(dimensions), length: rows.length, nullCount: 0, child })),
  });
}

/** How many partitions the vectors of a table of so many rows fall into. */
export function partitionCount(rows: number): number {
  return Math.min(MAX_PARTITIONS, Math.max(MIN_PARTITIONS, Math.round(Math.sqrt(rows))));
}

/** Builds every index of a table of chunks anew. */
export async function indexChunkTable(table: Table, rows: number): Promise<void> {
  const config = Index.ivfRq({ distanceType: "dot", numPartitions: partitionCount(rows), numBits: VECTOR_BITS });
  await table.createIndex("vector", { config });
  for (const column of ["key", "published", "crawled"]) await table.createIndex(column, { config: Index.btree() });
  for (const column of ["team", "category", "language"]) await table.createIndex(column, { config: Index.bitmap() });
  await table.createIndex("sites", { config: Index.labelList() });
}

/** The name of the vector index. */
export const VECTOR_INDEX = "vector_idx";

const MIN_PARTITIONS = 8;
const MAX_PARTITIONS = 4_096;
/** Per number. With 1 the engine must read ten times as many whole vectors to be as exact; with 8 the index doubles. */
const VECTOR_BITS = 4;

function vectorType(dimensions: number): FixedSizeList {
  return new FixedSizeList(dimensions, new Field("item", new Float32(), true));
}
