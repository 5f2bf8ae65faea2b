import { AppError } from "@quarry/base";
import { literals } from "../filter/filter-sql.ts";
import { pageKey } from "../pages/page-key.ts";
import type { PageChunks, WriteOutcome } from "../search-index.ts";
import { toChunkTable, type ChunkRow } from "../tables/chunk-table.ts";
import { inBatches, MAX_BATCH_ROWS } from "../tables/find-keys.ts";
import { findInTails, type IndexView } from "../tables/index-tables.ts";
import type { IndexWriter } from "./index-writer.ts";

/** See `SearchIndex.addChunks`. */
export async function addChunks(
  writer: IndexWriter,
  pages: readonly PageChunks[],
  signal?: AbortSignal,
): Promise<readonly WriteOutcome[]> {
  const { dimensions } = writer.tables.view.chunks.entry;
  for (const page of pages) for (const { vector } of page.chunks) checkVector(vector, dimensions, page.url);
  const current = new Set<PageChunks>();
  for (const group of groupByRows(pages)) {
    signal?.throwIfAborted();
    // A page must not change between the look at its version and the write of its chunks.
    const written = await writer.exclusivelyOnChunks(() => writer.exclusively(() => writeGroup(writer, group)));
    for (const page of written) current.add(page);
    writer.tendChunksSoon();
  }
  return pages.map((page) => {
    const { teamId, url, version } = page;
    return { teamId, url, version, status: current.has(page) ? "written" : "stale" };
  });
}

/** A vector of length 1 in the same direction; the nearest are then those with the highest dot product. */
export function toUnitLength(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  return length === 0 || Math.abs(length - 1) < 1e-6 ? vector : vector.map((value) => value / length);
}

/** Throws `invalid_request` unless a vector has the index's number of dimensions and only finite numbers. */
export function checkVector(vector: Float32Array, dimensions: number, owner: string): void {
  if (vector.length === dimensions && vector.every(Number.isFinite)) return;
  const fault = vector.length === dimensions ? "numbers that are not finite" : `${vector.length} numbers`;
  throw new AppError(
    "invalid_request",
    `the vector for ${owner} has ${fault}; the index holds ${dimensions} finite ones`,
  );
}

type PageOfChunks = ChunkRow["page"];

/** Some chunks of a page. */
interface ChunkGroup {
  readonly page: PageChunks;
  readonly chunks: PageChunks["chunks"];
}

/** Writes the chunks whose page is there in their version; returns those pages. */
async function writeGroup(writer: IndexWriter, group: readonly ChunkGroup[]): Promise<readonly PageChunks[]> {
  const { view } = writer.tables;
  const { table, entry } = view.chunks;
  const known = await findPages(
    view,
    group.map(({ page }) => pageKey(page)),
  );
  const current: PageChunks[] = [];
  const rows: ChunkRow[] = [];
  for (const { page, chunks } of group) {
    const there = known.get(pageKey(page));
    if (there?.version !== page.version) continue;
    current.push(page);
    for (const { number, start, end, vector } of chunks) {
      rows.push({ page: there, number, start, end, vector: toUnitLength(vector) });
    }
  }
  if (rows.length === 0) return current;
  const there = await findChunkNumbers(view, [...new Set(rows.map(({ page }) => page.key))]);
  const isThere = ({ page, number }: ChunkRow): boolean => there.get(page.key)?.has(number) ?? false;
  const replaced = rows.filter(isThere);
  // Deletes first: were the process killed in between, chunks would be missing, which the next reconciliation sees.
  if (replaced.length > 0) {
    await table.delete(replaced.map(({ page, number }) => `(key = '${page.key}' AND number = ${number})`).join(" OR "));
  }
  await table.add(toChunkTable(rows, entry.dimensions));
  return current;
}

/** What pages the index has for these keys now; removed pages and duplicates have no chunks. */
async function findPages(view: IndexView, keys: readonly string[]): Promise<ReadonlyMap<string, PageOfChunks>> {
  const pages = new Map<string, PageOfChunks>();
  const elsewhere: string[] = [];
  for (const key of new Set(keys)) {
    const row = findInTails(view.tails, key);
    if (row === undefined) elsewhere.push(key);
    else if (!row.isRemoved && !row.isDuplicate) pages.set(key, row);
  }
  for (const batch of inBatches(elsewhere)) {
    for (const { table } of view.segments) {
      const read = await table
        .query()
        .where(`key IN (${literals(batch)}) AND NOT is_duplicate`)
        .select([...PAGE_COLUMNS])
        .toArrow();
      for (const row of read.toArray() as readonly ReadPage[]) pages.set(row.key, toPage(row));
    }
  }
  return pages;
}

const PAGE_COLUMNS = [
  "key",
  "version",
  "team",
  "url",
  "facts",
  "host",
  "sites",
  "path",
  "category",
  "language",
  "published",
  "crawled",
] as const;

interface ReadPage {
  readonly key: string;
  readonly version: bigint;
  readonly team: string;
  readonly url: string;
  readonly facts: string;
  readonly host: string;
  readonly sites: Iterable<string>;
  readonly path: string;
  readonly category: string | null;
  readonly language: string | null;
  readonly published: bigint | null;
  readonly crawled: bigint;
}

function toPage(row: ReadPage): PageOfChunks {
  return {
    key: row.key,
    version: Number(row.version),
    teamId: row.team,
    url: row.url,
    facts: row.facts,
    host: row.host,
    sites: [...row.sites],
    path: row.path,
    category: row.category,
    language: row.language,
    publishedMs: row.published === null ? null : Number(row.published),
    crawledMs: Number(row.crawled),
  };
}

async function findChunkNumbers(
  { chunks }: IndexView,
  keys: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const numbers = new Map<string, Set<number>>();
  for (const batch of inBatches(keys)) {
    const read = await chunks.table
      .query()
      .where(`key IN (${literals(batch)})`)
      .select(["key", "number"])
      .toArrow();
    for (const { key, number } of read.toArray() as readonly { readonly key: string; readonly number: number }[]) {
      const known = numbers.get(key);
      if (known === undefined) numbers.set(key, new Set([number]));
      else known.add(number);
    }
  }
  return numbers;
}

/** Chunks in groups of at most MAX_BATCH_ROWS; those of a long page go in several. */
function* groupByRows(pages: readonly PageChunks[]): Generator<readonly ChunkGroup[]> {
  let group: ChunkGroup[] = [];
  let rows = 0;
  for (const page of pages) {
    for (const chunks of page.chunks.length === 0 ? [[]] : inBatches(page.chunks)) {
      if (rows + chunks.length > MAX_BATCH_ROWS) {
        yield group;
        group = [];
        rows = 0;
      }
      group.push({ page, chunks });
      rows += chunks.length;
    }
  }
  if (group.length > 0) yield group;
}
