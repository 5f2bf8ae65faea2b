import type { Query, VectorQuery } from "@lancedb/lancedb";
import type { Table as ArrowTable, Vector } from "apache-arrow";
import type { RowInMemory, RowMemory } from "../tables/row-memory.ts";

/** Rows that were found, best first, and how many they are; each is read when it is its turn. */
export interface FoundRows<Row> {
  readonly count: number;
  readonly rows: Iterable<Row>;
}

/**
 * Searches for row ids and scores alone, and takes the rest from memory. Undefined when memory has not all of it: then
 * the engine is to be asked for everything.
 */
export async function findKnownRows<Row>(
  memory: RowMemory,
  ask: () => Query | VectorQuery,
  score: "_score" | "_distance",
): Promise<FoundRows<Row> | undefined> {
  if (!memory.isReady()) return undefined;
  const read = await ask().withRowId().toArrow();
  const known = memory.find(Array.from((read.getChild("_rowid") ?? []) as Iterable<bigint>));
  if (known === undefined) return undefined;
  return { count: read.numRows, rows: withScores<Row>(known, read.getChild(score), score) };
}

/** What was found as the engine read it. */
export function allRows<Row>(read: ArrowTable): FoundRows<Row> {
  return { count: read.numRows, rows: read.toArray() as readonly Row[] };
}

function* withScores<Row>(rows: Iterable<RowInMemory>, scores: Vector | null, name: string): Generator<Row> {
  let place = 0;
  for (const row of rows) {
    yield { ...row, [name]: scores?.get(place) as unknown } as Row;
    place += 1;
  }
}
