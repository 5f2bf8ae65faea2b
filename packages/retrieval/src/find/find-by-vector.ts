import { filterToSql, filterWithinTeamsToSql, teamsToSql } from "../filter/filter-sql.ts";
import { parseFilter, type IndexFilter, type ParsedFilter } from "../filter/index-filter.ts";
import { pageKey } from "../pages/page-key.ts";
import { unpackFacts } from "../pages/page-row.ts";
import type { FindOptions, VectorHit } from "../search-index.ts";
import { partitionCount } from "../tables/chunk-table.ts";
import { CHUNK_FACTS, findInTails, type IndexView } from "../tables/index-tables.ts";
import type { MemoryChunks } from "../tables/memory-chunks.ts";
import { checkVector, toUnitLength } from "../write/write-chunks.ts";
import { checkLimit, findEnough, type Found } from "./find-enough.ts";
import { allRows, findKnownRows } from "./find-known-rows.ts";
import { chunksToAskFor, planVectorSearch } from "./plan-vector-search.ts";

/** See `SearchIndex.findByVector`. */
export async function findByVector(
  view: IndexView,
  search: { readonly vector: Float32Array; readonly filter: IndexFilter; readonly options: FindOptions },
): Promise<readonly VectorHit[]> {
  checkLimit(search.options.limit);
  checkVector(search.vector, view.chunks.entry.dimensions, "the query");
  const vector = toUnitLength(search.vector);
  const filter = parseFilter(search.filter);
  const memory = view.chunks.memory.current();
  const find =
    memory === undefined
      ? await searchTable(view, vector, filter)
      : (pages: number) => Promise.resolve(searchMemory(view, memory, { vector, filter, limit: pages }));
  return findEnough(search.filter.teamIds, search.options, find);
}

function searchMemory(
  view: IndexView,
  memory: MemoryChunks,
  wanted: { readonly vector: Float32Array; readonly filter: ParsedFilter; readonly limit: number },
): Found<VectorHit> {
  const { pages, isAll } = memory.findNearest(wanted.vector, wanted.filter, {
    limit: wanted.limit,
    isCurrent: ({ key, version }) => isCurrent(view, key, version),
  });
  return { hits: pages.map(({ page, score, chunk }) => ({ ...page.facts, score: roundCosine(score), chunk })), isAll };
}

/** How the engine is asked for so many pages. */
async function searchTable(
  view: IndexView,
  vector: Float32Array,
  filter: ParsedFilter,
): Promise<(pages: number) => Promise<Found<VectorHit>>> {
  const { table, entry, counts } = view.chunks;
  const { teamIds } = filter.filter;
  const chunks = await counts.count();
  // A condition that every row meets still costs the engine a look at every row. One that came since is left out below.
  const isWithin = (await counts.count(teamsToSql(teamIds))) >= chunks;
  const condition = isWithin ? filterWithinTeamsToSql(filter) : filterToSql(filter);
  // Pages that are named are few, and not worth a count of their own.
  const matching = filter.includeUrls === undefined ? await counts.count(condition) : 0;
  return async (pages) => {
    const limit = chunksToAskFor(pages, { chunks, pages: view.statistics.pageCount });
    const partitions = entry.trainedOn === 0 ? 0 : partitionCount(entry.trainedOn);
    const plan = planVectorSearch({ chunks, matching, partitions, limit });
    const ask = (columns: readonly string[]) => {
      const nearest = table.query().nearestTo(vector).distanceType("dot");
      const query = nearest.select([...columns, "_distance"]).limit(limit);
      const within = condition === undefined ? query : query.where(condition);
      if (plan.kind === "exact") return within.bypassVectorIndex();
      return within.nprobes(plan.partitions).refineFactor(plan.refineFactor);
    };
    const found =
      (await findKnownRows<FoundChunk>(view.chunks.rows, () => ask([]), "_distance")) ??
      allRows<FoundChunk>(await ask(CHUNK_FACTS).toArrow());
    const hits = nearestOfEachPage(view, found.rows, { teamIds, limit: pages + SPARE_PAGES });
    return { hits, isAll: found.count < limit && hits.length < pages + SPARE_PAGES };
  };
}

interface FoundChunk {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly facts: string;
  readonly _distance: number;
}

/**
 * Chunks come nearest first; those of a page that has changed since are passed over, and those of other teams. Once
 * there are `limit` pages the rest is not even read.
 */
function nearestOfEachPage(
  view: IndexView,
  rows: Iterable<FoundChunk>,
  { teamIds, limit }: { readonly teamIds: readonly string[]; readonly limit: number },
): readonly VectorHit[] {
  const hasTails = view.tails.some(({ pages }) => pages.size > 0);
  const hits = new Map<string, VectorHit>();
  for (const row of rows) {
    if (hits.size >= limit) break;
    const facts = unpackFacts(row.facts);
    const { teamId, url, version } = facts;
    const name = `${teamId}\n${url}`;
    if (hits.has(name) || !teamIds.includes(teamId)) continue;
    if (hasTails && !isCurrent(view, pageKey(facts), version)) continue;
    const chunk = { number: row.number, start: row.start, end: row.end };
    hits.set(name, { ...facts, score: roundCosine(1 - row._distance), chunk });
  }
  return [...hits.values()];
}

/** For pages that two teams have, of which one falls out. */
const SPARE_PAGES = 10;

function isCurrent(view: IndexView, key: string, version: number): boolean {
  const newest = findInTails(view.tails, key);
  return newest === undefined || newest.version === version;
}

/** Memory and the engine add up in different orders; what they make of it must not differ from one search to the next. */
function roundCosine(cosine: number): number {
  return Math.round(cosine * COSINE_STEPS) / COSINE_STEPS;
}

const COSINE_STEPS = 10_000;
