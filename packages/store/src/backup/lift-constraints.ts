import type { Transaction } from "../database.ts";
import { quoteName, type BackupTable } from "./catalog.ts";

/**
 * Takes foreign keys and triggers off `tables` for the rest of the transaction, so
 * that rows may come in any order and tell nobody. The result puts them back as
 * they were, which checks every row against its foreign keys. The owner of the
 * tables may do this; disabling foreign keys in place would take a superuser.
 */
export async function liftConstraints(tx: Transaction, tables: readonly BackupTable[]): Promise<() => Promise<void>> {
  const foreignKeys = await tx.query<{ table: string; name: string; definition: string }>(
    `SELECT c.conrelid::regclass::text AS table, c.conname::text AS name, pg_get_constraintdef(c.oid) AS definition
     FROM pg_constraint c
     WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace AND c.conparentid = 0
     ORDER BY c.conrelid::regclass::text, c.conname`,
  );
  for (const { table, name } of foreignKeys) await tx.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quoteName(name)}`);
  for (const { name } of tables) await tx.query(`ALTER TABLE public.${quoteName(name)} DISABLE TRIGGER USER`);
  return async () => {
    for (const { name } of tables) await tx.query(`ALTER TABLE public.${quoteName(name)} ENABLE TRIGGER USER`);
    for (const { table, name, definition } of foreignKeys) {
      await tx.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoteName(name)} ${definition}`);
    }
  };
}
