import { filterToSql } from "../filter/filter-sql.ts";
import { parseFilter, type IndexFilter } from "../filter/index-filter.ts";
import { unpackFacts } from "../pages/page-row.ts";
import type { FindOptions, VectorHit } from "../search-index.ts";
import { partitionCount } from "../tables/chunk-table.ts";
import { findInTails, type IndexView } from "../tables/index-tables.ts";
import { checkVector, toUnitLength } from "../write/write-chunks.ts";
import { checkLimit, findEnough } from "./find-enough.ts";
import { planVectorSearch } from "./plan-vector-search.ts";

/** Chunks asked for per page wanted, to begin with: a page may have several near ones. */
const CHUNKS_PER_PAGE = 2;

/** See `SearchIndex.findByVector`. */
export async function findByVector(
  view: IndexView,
  search: { readonly vector: Float32Array; readonly filter: IndexFilter; readonly options: FindOptions },
): Promise<readonly VectorHit[]> {
  const { table, entry, counts } = view.chunks;
  checkLimit(search.options.limit);
  checkVector(search.vector, entry.dimensions, "the query");
  const vector = toUnitLength(search.vector);
  const condition = filterToSql(parseFilter(search.filter));
  const [chunks, matching] = await Promise.all([counts.count(), counts.count(condition)]);
  return findEnough(search.filter.teamIds, search.options, async (pages) => {
    const limit = pages * CHUNKS_PER_PAGE;
    const partitions = entry.trainedOn === 0 ? 0 : partitionCount(entry.trainedOn);
    const plan = planVectorSearch({ chunks, matching, partitions, limit });
    const query = table
      .query()
      .nearestTo(vector)
      .distanceType("dot")
      .where(condition)
      .select(["key", "version", "number", "start", "end", "facts", "_distance"])
      .limit(limit);
    const planned =
      plan.kind === "exact"
        ? query.bypassVectorIndex()
        : query.nprobes(plan.partitions).refineFactor(plan.refineFactor);
    const rows = (await planned.toArrow()).toArray() as readonly FoundChunk[];
    return {
      hits: nearestOfEachPage(view, rows),
      isAll: rows.length < limit,
    };
  });
}

interface FoundChunk {
  readonly key: string;
  readonly version: bigint;
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly facts: string;
  readonly _distance: number;
}

/** Chunks come nearest first; those of a page that has changed since are passed over. */
function nearestOfEachPage(view: IndexView, rows: readonly FoundChunk[]): readonly VectorHit[] {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const newest = findInTails(view.tails, row.key);
    if (seen.has(row.key) || (newest !== undefined && newest.version !== Number(row.version))) return [];
    seen.add(row.key);
    const chunk = { number: row.number, start: row.start, end: row.end };
    return [{ ...unpackFacts(row.facts), score: 1 - row._distance, chunk }];
  });
}
