import { AppError } from "@quarry/base";
import { setImmediate } from "node:timers/promises";
import type { Analyser } from "../analysis/analyser.ts";
import { toPageRow, toRemovedRow, type PageRow, type PageToIndex } from "../pages/page-row.ts";
import type { PageVersion, WriteOutcome } from "../search-index.ts";
import { findVersionsByKey, inBatches } from "../tables/find-keys.ts";
import { findInTails } from "../tables/index-tables.ts";
import { toPageTable } from "../tables/page-table.ts";
import type { IndexWriter } from "./index-writer.ts";

/** Rows of one write: each is a file and a version of the table, whatever its size. */
const ROWS_AT_ONCE = 400;
/** Analysing a page of 300 words takes a third of a millisecond. */
const PAGES_AT_ONE_GO = 10;

/** See `SearchIndex.addPages`. */
export async function addPages(
  writer: IndexWriter,
  analyser: Analyser,
  pages: readonly PageToIndex[],
  signal?: AbortSignal,
): Promise<readonly WriteOutcome[]> {
  for (const page of pages) checkVersion(page);
  return writePages(writer, pages, (page) => toPageRow(analyser, page), signal);
}

/** See `SearchIndex.remove`. */
export async function removePages(
  writer: IndexWriter,
  pages: readonly PageVersion[],
  signal?: AbortSignal,
): Promise<readonly WriteOutcome[]> {
  for (const page of pages) checkVersion(page);
  return writePages(writer, pages, (page) => toRemovedRow(page, writer.now()), signal);
}

/** What the index knows of a key: the newest version, a removed one included, and the sealed tables that have a row. */
export interface KnownPage {
  readonly version: number;
  readonly segments: readonly string[];
}

/** What the index knows of these keys; from memory, else from the sealed tables. */
export async function findKnownPages(
  writer: IndexWriter,
  keys: readonly string[],
): Promise<ReadonlyMap<string, KnownPage>> {
  const { view } = writer.tables;
  const known = new Map<string, KnownPage>();
  const elsewhere: string[] = [];
  for (const key of new Set(keys)) {
    const row = findInTails(view.tails, key);
    if (row === undefined) elsewhere.push(key);
    else known.set(key, { version: row.version, segments: [] });
  }
  if (elsewhere.length === 0) return known;
  const found = await Promise.all(
    view.segments.map(async (segment) => {
      const filter = await writer.keyFilterOf(segment);
      return findVersionsByKey(
        segment.table,
        elsewhere.filter((key) => filter.mayHave(key)),
      );
    }),
  );
  for (const [index, versions] of found.entries()) {
    const name = view.segments[index]?.entry.name ?? "";
    for (const [key, version] of versions) {
      const other = known.get(key);
      known.set(key, {
        version: Math.max(version, other?.version ?? 0),
        segments: [...(other?.segments ?? []), name],
      });
    }
  }
  return known;
}

async function writePages<Page extends PageVersion>(
  writer: IndexWriter,
  pages: readonly Page[],
  toRow: (page: Page) => PageRow,
  signal: AbortSignal | undefined,
): Promise<readonly WriteOutcome[]> {
  const outcomes: WriteOutcome[] = [];
  for (const batch of inBatches(pages, ROWS_AT_ONCE)) {
    signal?.throwIfAborted();
    const rows: PageRow[] = [];
    for (const page of batch) {
      rows.push(toRow(page));
      if (rows.length % PAGES_AT_ONE_GO === 0) await setImmediate(); // others want this thread too
    }
    outcomes.push(...(await writer.exclusively(() => writeBatch(writer, rows))));
    writer.tendPagesSoon();
    await writer.keepUp();
  }
  return outcomes;
}

async function writeBatch(writer: IndexWriter, rows: readonly PageRow[]): Promise<readonly WriteOutcome[]> {
  const { view } = writer.tables;
  const known = await findKnownPages(
    writer,
    rows.map(({ key }) => key),
  );
  const fresh = new Map<string, PageRow>();
  const outcomes = rows.map((row): WriteOutcome => {
    const { teamId, url, version } = row;
    const newest = fresh.get(row.key)?.version ?? known.get(row.key)?.version;
    if (newest !== undefined && newest >= version) {
      return { teamId, url, version, status: newest === version ? "unchanged" : "stale" };
    }
    fresh.set(row.key, row);
    return { teamId, url, version, status: "written" };
  });
  if (fresh.size === 0) return outcomes;
  const active = view.tails.at(-1);
  if (active === undefined) throw new Error("the index has no active table");
  const written = [...fresh.values()];
  await active.table.add(toPageTable(written, active.lastBatch + 1));
  active.lastBatch += 1;
  for (const row of written) active.pages.put(row);
  const replaced = written.flatMap(({ key, version }) => {
    const old = known.get(key);
    return old === undefined ? [] : [{ key, below: version, segments: old.segments }];
  });
  writer.replaced(replaced);
  return outcomes;
}

function checkVersion({ url, version }: PageVersion): void {
  if (Number.isSafeInteger(version) && version >= 0) return;
  throw new AppError("invalid_request", `the version of ${url} is ${version}; versions are whole numbers from 0`);
}
