import type { Queryable } from "../database.ts";
import { quoteName } from "../backup/catalog.ts";

/** A table whose rows point at rows of another by a foreign key. */
export interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  /** The columns pointed at, in the same order. */
  readonly targets: readonly string[];
}

/**
 * Every foreign key that points at `table`, as the catalogue has them: a table that is added later and refers to a
 * text or a snapshot is heeded from its first row on.
 */
export async function readReferences(db: Queryable, table: string): Promise<readonly Reference[]> {
  return db.query<Reference>(
    `SELECT source.relname::text AS table, array_agg(own.attname::text ORDER BY part.place) AS columns,
       array_agg(far.attname::text ORDER BY part.place) AS targets
     FROM pg_constraint AS link
     JOIN pg_class AS source ON source.oid = link.conrelid
     CROSS JOIN LATERAL unnest(link.conkey, link.confkey) WITH ORDINALITY AS part (own, far, place)
     JOIN pg_attribute AS own ON own.attrelid = link.conrelid AND own.attnum = part.own
     JOIN pg_attribute AS far ON far.attrelid = link.confrelid AND far.attnum = part.far
     WHERE link.contype = 'f' AND link.confrelid = ('public.' || quote_ident($1))::regclass
     GROUP BY link.oid, source.relname ORDER BY source.relname, link.oid`,
    [table],
  );
}

/** SQL that holds when no row of `references` points at `target`, a row by that name; `except` goes on each condition. */
export function isUnreferenced(
  references: readonly Reference[],
  target: string,
  except: (table: string) => string = () => "",
): string {
  const absences = references.map(({ table, columns, targets }) => {
    const match = columns.map(
      (column, index) => `ref.${quoteName(column)} = ${target}.${quoteName(targets[index] ?? "")}`,
    );
    return `NOT EXISTS (SELECT FROM ${quoteName(table)} AS ref WHERE ${match.join(" AND ")}${except(table)})`;
  });
  return absences.length === 0 ? "true" : absences.join(" AND ");
}
