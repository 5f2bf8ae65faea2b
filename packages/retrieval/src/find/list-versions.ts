import type { Table } from "@lancedb/lancedb";
import { literal, literals } from "../filter/filter-sql.ts";
import { pageKey, type PageIdentity } from "../pages/page-key.ts";
import type { IndexedVersion, PageVersion, VersionList } from "../search-index.ts";
import { inBatches } from "../tables/find-keys.ts";
import { findInTails, isReplaced, type IndexView } from "../tables/index-tables.ts";

/** See `SearchIndex.findVersions`. */
export async function findVersions(
  view: IndexView,
  pages: readonly PageIdentity[],
): Promise<readonly IndexedVersion[]> {
  const found: KeyedVersion[] = [];
  const elsewhere: string[] = [];
  for (const { teamId, url } of pages) {
    const key = pageKey({ teamId, url });
    const row = findInTails(view.tails, key);
    if (row === undefined) elsewhere.push(key);
    else if (!row.isRemoved) found.push({ key, teamId, url, version: row.version });
  }
  for (const batch of inBatches(elsewhere)) {
    for (const { table } of view.segments) found.push(...(await readKeys(table, batch)));
  }
  return countChunks(view, found);
}

/** See `SearchIndex.listVersions`: in the order of their keys. */
export async function listVersions(
  view: IndexView,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<VersionList> {
  const last = after ?? "";
  const inMemory = view.tails.flatMap((tail) =>
    [...tail.pages.rows()].filter((row) => !row.isRemoved && row.key > last && !isReplaced(view.tails, tail, row)),
  );
  const inTables = await Promise.all(view.segments.map(({ table }) => readKeysAfter(table, last, limit)));
  // A table that gave all it was asked for may have more after its last key; nothing is certain beyond.
  const ends = inTables.flatMap((rows) => (rows.length < limit ? [] : [rows.at(-1)?.key ?? last]));
  const horizon = ends.length === 0 ? undefined : ends.reduce((one, other) => (one < other ? one : other));
  const known = [...inMemory, ...withoutReplaced(view, inTables.flat())]
    .filter(({ key }) => horizon === undefined || key <= horizon)
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const page = known.slice(0, limit);
  const next = known.length > limit ? page.at(-1)?.key : horizon;
  return { versions: await countChunks(view, page), next: next ?? null };
}

interface KeyedVersion extends PageVersion {
  readonly key: string;
}

const COLUMNS = ["key", "team", "url", "version"];

async function readKeys(table: Table, keys: readonly string[]): Promise<readonly KeyedVersion[]> {
  return toVersions(
    await table
      .query()
      .where(`key IN (${literals(keys)})`)
      .select(COLUMNS)
      .toArrow(),
  );
}

async function readKeysAfter(table: Table, last: string, limit: number): Promise<readonly KeyedVersion[]> {
  return toVersions(
    await table
      .query()
      .where(`key > ${literal(last)}`)
      .select(COLUMNS)
      .orderBy({ columnName: "key", ascending: true })
      .limit(limit)
      .toArrow(),
  );
}

function toVersions(read: { readonly toArray: () => unknown }): readonly KeyedVersion[] {
  const rows = read.toArray() as readonly {
    readonly key: string;
    readonly team: string;
    readonly url: string;
    readonly version: bigint;
  }[];
  return rows.map(({ key, team, url, version }) => ({ key, teamId: team, url, version: Number(version) }));
}

/** Without what memory has in a newer version, or as removed. */
function withoutReplaced(view: IndexView, versions: readonly KeyedVersion[]): readonly KeyedVersion[] {
  return versions.filter(({ key }) => findInTails(view.tails, key) === undefined);
}

async function countChunks(view: IndexView, pages: readonly KeyedVersion[]): Promise<readonly IndexedVersion[]> {
  const counts = new Map<string, number>();
  for (const batch of inBatches(pages)) {
    const condition = `key IN (${literals(batch.map(({ key }) => key))})`;
    const read = await view.chunks.table.query().where(condition).select(["key", "version"]).toArrow();
    for (const { key, version } of read.toArray() as readonly { readonly key: string; readonly version: bigint }[]) {
      const name = `${key} ${Number(version)}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return pages.map(({ key, teamId, url, version }) => {
    return { teamId, url, version, chunkCount: counts.get(`${key} ${version}`) ?? 0 };
  });
}
