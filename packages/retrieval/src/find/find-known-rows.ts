import type { Query, VectorQuery } from "@lancedb/lancedb";
import type { RowMemory } from "../tables/row-memory.ts";

/**
 * Searches for row ids and scores alone, and takes the rest from memory. Undefined when memory has not all of it: then
 * the engine is to be asked for everything.
 */
export async function findKnownRows<Row>(
  rows: RowMemory,
  ask: () => Query | VectorQuery,
  score: "_score" | "_distance",
): Promise<readonly Row[] | undefined> {
  if (!rows.isReady()) return undefined;
  const read = await ask().withRowId().toArrow();
  const known = rows.find((read.getChild("_rowid") ?? []) as Iterable<bigint>);
  const scores = read.getChild(score);
  return known?.map((row, place) => ({ ...row, [score]: scores?.get(place) as unknown }) as Row);
}
