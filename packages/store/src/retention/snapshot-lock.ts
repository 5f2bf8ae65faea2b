import type { Queryable, Transaction } from "../database.ts";

/** Any number that nothing else locks by. */
const LOCK = 7_700_801;

/**
 * Until the transaction ends, no snapshot or text that nothing refers to is taken away: taken by whoever is about to
 * refer to one. Many may hold it at once.
 */
export async function holdSnapshots(db: Queryable): Promise<void> {
  await db.query("SELECT pg_advisory_xact_lock_shared($1)", [LOCK]);
}

/** Until the transaction ends, nobody begins to refer to a snapshot; waits for those who have begun. Keep it short. */
export async function lockSnapshots(tx: Transaction): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
}
