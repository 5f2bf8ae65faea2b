import type { Table } from "@lancedb/lancedb";
import { literal, literals } from "../filter/filter-sql.ts";

/** The most keys or rows that one statement names. */
export const MAX_BATCH_ROWS = 200;

/** The versions a table has for these keys; of several rows with one key, the highest or lowest. */
export async function findVersionsByKey(
  table: Table,
  keys: readonly string[],
  which: "highest" | "lowest" = "highest",
): Promise<ReadonlyMap<string, number>> {
  const versions = new Map<string, number>();
  for (const batch of inBatches(keys)) {
    const rows = (
      await table
        .query()
        .where(`key IN (${literals(batch)})`)
        .select(["key", "version"])
        .toArrow()
    ).toArray() as readonly { readonly key: string; readonly version: bigint }[];
    for (const { key, version } of rows) {
      const pick = which === "highest" ? Math.max : Math.min;
      versions.set(key, pick(Number(version), versions.get(key) ?? Number(version)));
    }
  }
  return versions;
}

/** Deletes the rows of each key whose version is lower than its `below`. */
export async function deleteByKey(
  table: Table,
  entries: readonly { readonly key: string; readonly below: number }[],
): Promise<void> {
  for (const batch of inBatches(entries)) {
    await table.delete(batch.map(({ key, below }) => `(key = ${literal(key)} AND version < ${below})`).join(" OR "));
  }
}

/** A list in pieces of at most MAX_BATCH_ROWS. */
export function* inBatches<Item>(items: readonly Item[], size = MAX_BATCH_ROWS): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
