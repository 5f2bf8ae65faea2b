import { Index, type Table } from "@lancedb/lancedb";
import { Schema, Table as ArrowTable } from "apache-arrow";
import { MAX_TOKEN_LENGTH } from "../analysis/analyser.ts";
import type { PageRow } from "../pages/page-row.ts";
import {
  booleanColumn,
  booleanField,
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

/** The columns of a table of pages. A row is written once; what happens to a page later is another row, or a delete. */
export const PAGE_SCHEMA = new Schema([
  textField("key"),
  textField("team"),
  textField("url"),
  integerField("version"),
  smallIntegerField("batch"),
  booleanField("is_removed"),
  booleanField("is_duplicate"),
  textField("text"),
  textField("title"),
  smallIntegerField("token_count"),
  textField("facts"),
  textField("host"),
  textListField("sites"),
  textField("path"),
  optionalTextField("category"),
  optionalTextField("language"),
  optionalIntegerField("published"),
  integerField("crawled"),
]);

/** Rows as the engine takes them. `batch` is the number of the write they belong to. */
export function toPageTable(rows: readonly PageRow[], batch: number): ArrowTable {
  return new ArrowTable(PAGE_SCHEMA, {
    key: textColumn(rows.map(({ key }) => key)),
    team: textColumn(rows.map(({ teamId }) => teamId)),
    url: textColumn(rows.map(({ url }) => url)),
    version: integerColumn(rows.map(({ version }) => version)),
    batch: smallIntegerColumn(rows.map(() => batch)),
    is_removed: booleanColumn(rows.map(({ isRemoved }) => isRemoved)),
    is_duplicate: booleanColumn(rows.map(({ isDuplicate }) => isDuplicate)),
    text: textColumn(rows.map(({ text }) => text)),
    title: textColumn(rows.map(({ title }) => title)),
    token_count: smallIntegerColumn(rows.map(({ tokenCount }) => tokenCount)),
    facts: textColumn(rows.map(({ facts }) => facts)),
    host: textColumn(rows.map(({ host }) => host)),
    sites: textListColumn(rows.map(({ sites }) => sites)),
    path: textColumn(rows.map(({ path }) => path)),
    category: optionalTextColumn(rows.map(({ category }) => category)),
    language: optionalTextColumn(rows.map(({ language }) => language)),
    published: integerColumn(rows.map(({ publishedMs }) => publishedMs)),
    crawled: integerColumn(rows.map(({ crawledMs }) => crawledMs)),
  });
}

/** A row of a table of pages as it comes back. */
interface ReadPage {
  readonly key: string;
  readonly team: string;
  readonly url: string;
  readonly version: bigint;
  readonly batch: number;
  readonly is_removed: boolean;
  readonly is_duplicate: boolean;
  readonly text: string;
  readonly title: string;
  readonly token_count: number;
  readonly facts: string;
  readonly host: string;
  readonly sites: Iterable<string>;
  readonly path: string;
  readonly category: string | null;
  readonly language: string | null;
  readonly published: bigint | null;
  readonly crawled: bigint;
}

/** The rows written after batch number `after`, in the order they were written. */
export async function readPagesAfter(
  table: Table,
  after: number,
): Promise<readonly { readonly row: PageRow; readonly batch: number }[]> {
  const read = await table.query().where(`batch > ${after}`).toArrow();
  const rows = read.toArray() as readonly ReadPage[];
  return rows.map((page) => ({ row: toRow(page), batch: page.batch })).sort((one, other) => one.batch - other.batch);
}

/** Builds every index of a table that gets no more rows. */
export async function indexPageTable(table: Table): Promise<void> {
  for (const column of ["text", "title"]) await table.createIndex(column, { config: wordIndex() });
  for (const column of ["key", "published", "crawled"]) await table.createIndex(column, { config: Index.btree() });
  for (const column of ["team", "category", "language"]) await table.createIndex(column, { config: Index.bitmap() });
  await table.createIndex("sites", { config: Index.labelList() });
}

/** Takes our tokens as they are; positions are for phrases. */
function wordIndex(): Index {
  return Index.fts({
    baseTokenizer: "whitespace",
    withPosition: true,
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    maxTokenLength: MAX_TOKEN_LENGTH * MAX_BYTES_OF_CHARACTER,
  });
}

const MAX_BYTES_OF_CHARACTER = 4;

function toRow(page: ReadPage): PageRow {
  return {
    key: page.key,
    teamId: page.team,
    url: page.url,
    version: Number(page.version),
    isRemoved: page.is_removed,
    isDuplicate: page.is_duplicate,
    text: page.text,
    title: page.title,
    tokenCount: page.token_count,
    facts: page.facts,
    host: page.host,
    sites: [...page.sites],
    path: page.path,
    category: page.category,
    language: page.language,
    publishedMs: page.published === null ? null : Number(page.published),
    crawledMs: Number(page.crawled),
  };
}
