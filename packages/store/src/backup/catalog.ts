import type { Queryable } from "../database.ts";

/** A table of schema public and the columns whose values a backup keeps, in the order of the table. */
export interface BackupTable {
  readonly name: string;
  readonly columns: readonly BackupColumn[];
}

/** A column and its type as SQL writes it. */
export interface BackupColumn {
  readonly name: string;
  readonly type: string;
}

/** A sequence and where it stands. Text, since a bigint may be past what a number holds. */
export interface BackupSequence {
  readonly name: string;
  readonly lastValue: string;
  readonly isCalled: boolean;
}

/**
 * The tables whose rows a backup holds. Left out are the list of migrations (a
 * restore runs them), generated columns (computed anew) and columns of type xid8
 * (transaction numbers mean something in their own cluster only).
 */
export async function readTables(db: Queryable): Promise<readonly BackupTable[]> {
  return db.query<BackupTable>(
    `SELECT c.relname::text AS name,
            jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
                      ORDER BY a.attnum) AS columns
     FROM pg_class c
     JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'schema_migrations'
       AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.atttypid <> 'xid8'::regtype
     GROUP BY c.relname
     ORDER BY c.relname`,
  );
}

/** Where each sequence of schema public stands. Sequences know no snapshot: read them after the rows, and they are never behind. */
export async function readSequences(db: Queryable): Promise<readonly BackupSequence[]> {
  const names = await db.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' ORDER BY relname`,
  );
  const sequences: BackupSequence[] = [];
  for (const { name } of names) {
    const [state] = await db.query<{ lastValue: string; isCalled: boolean }>(
      `SELECT last_value::text AS "lastValue", is_called AS "isCalled" FROM public.${quoteName(name)}`,
    );
    if (state !== undefined) sequences.push({ name, ...state });
  }
  return sequences;
}

/** An identifier as SQL writes it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
