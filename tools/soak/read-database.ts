import type { Queryable } from "@quarry/store";

/** A table of schema public with the columns that a copy of it must keep. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
}

/** A column as the catalog has it. */
export interface ColumnShape {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
  /** Written by the database alone. */
  readonly isIdentity: boolean;
}

/** Every table but the list of migrations; without generated columns and transaction numbers, which mean something in one cluster only. */
export function readTableShapes(db: Queryable): Promise<readonly TableShape[]> {
  return db.query<TableShape>(
    `SELECT c.relname::text AS name, jsonb_agg(jsonb_build_object(
       'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'isNullable', NOT a.attnotnull,
       'hasDefault', a.atthasdef, 'isIdentity', a.attidentity = 'a') ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'schema_migrations'
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.atttypid <> 'xid8'::regtype
     GROUP BY c.relname ORDER BY c.relname`,
  );
}

/**
 * A line for each table: how many rows, and a sum over the hashes of their text that any other row or value would change.
 * Moments after `since` all count as the same one.
 */
export async function digestRows(db: Queryable, since?: Date): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { name, columns } of await readTableShapes(db)) {
    const values = columns.map(({ name: column, type }) =>
      since !== undefined && type.startsWith("timestamp")
        ? `CASE WHEN "${column}" > '${since.toISOString()}' THEN 'since' ELSE "${column}"::text END`
        : `"${column}"`,
    );
    const [row] = await db.query<{ count: number; sum: string | null }>(
      `SELECT count(*)::int AS count, sum(hashtextextended(ROW(${values.join()})::text, 0))::text AS sum FROM "${name}"`,
    );
    lines.push(`${name}: ${row?.count} rows, ${row?.sum ?? "none"}`);
  }
  return lines;
}

/** Columns, indexes, constraints, functions, triggers and applied migrations, in words. */
export async function describeSchema(db: Queryable): Promise<readonly string[]> {
  const rows = await db.query<{ line: string }>(
    `SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) AS line
       FROM information_schema.columns WHERE table_schema = 'public'
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
     UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL SELECT format('%s %s %s', version, name, checksum) FROM schema_migrations
     ORDER BY 1`,
  );
  return rows.map(({ line }) => line);
}

/** What stands in one list and not in the other. */
export function differences(expected: readonly string[], found: readonly string[]): readonly string[] {
  const [wanted, known] = [new Set(expected), new Set(found)];
  return [
    ...expected.filter((line) => !known.has(line)).map((line) => `missing: ${line}`),
    ...found.filter((line) => !wanted.has(line)).map((line) => `too much: ${line}`),
  ];
}
