import { filterToSql } from "../filter/filter-sql.ts";
import { parseFilter, type IndexFilter } from "../filter/index-filter.ts";
import { isReplaced, type IndexView } from "../tables/index-tables.ts";

/** See `SearchIndex.count`. */
export async function countPages(view: IndexView, filter: IndexFilter): Promise<number> {
  const parsed = parseFilter(filter);
  const condition = `${filterToSql(parsed)} AND NOT is_duplicate`;
  const inTables = await Promise.all(view.segments.map(({ table }) => table.countRows(condition)));
  const inMemory = view.tails.map((tail) => tail.pages.count(parsed, (row) => isReplaced(view.tails, tail, row)));
  return [...inTables, ...inMemory].reduce((sum, count) => sum + count, 0);
}
