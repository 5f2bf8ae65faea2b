import { AppError } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { lockSnapshots } from "./snapshot-lock.ts";

/**
 * A blob on its way out.
 *
 * - `queued`: nothing refers to it. Whoever needs it again strikes the row, and it stays.
 * - `deleting`: it is being removed now; whoever needs it waits.
 * - `deleted`: it is gone. Whoever saw it there before must write it again; the row is kept for a day to say so.
 */
export type RemovedBlobState = "queued" | "deleting" | "deleted";

/** Thrown when a page's bytes were thought to be kept and are being, or have been, removed: write them again. */
export class RemovedBlobsError extends AppError {
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super("unavailable", `${keys.length} snapshots are being removed; they must be written again`, { retryable: true });
    this.name = "RemovedBlobsError";
    this.keys = keys;
  }
}

/** How long it is remembered that a blob is gone: longer than anyone takes from seeing a blob to referring to it. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/**
 * Called in the transaction that refers to blobs again, after `holdSnapshots`: those only queued are kept, and those
 * `rewritten` since they were seen to be gone are taken for whole. Throws RemovedBlobsError for the others.
 */
export async function keepBlobs(
  tx: Transaction,
  keys: readonly string[],
  rewritten: ReadonlySet<string>,
): Promise<void> {
  const rows = await tx.query<{ key: string; state: RemovedBlobState }>(
    "SELECT key, state FROM removed_blobs WHERE key = ANY ($1) ORDER BY key FOR UPDATE",
    [keys],
  );
  if (rows.length === 0) return;
  const isSafe = ({ key, state }: (typeof rows)[number]): boolean =>
    state === "queued" || (state === "deleted" && rewritten.has(key));
  const unsafe = rows.filter((row) => !isSafe(row));
  if (unsafe.length > 0) throw new RemovedBlobsError(unsafe.map(({ key }) => key));
  await tx.query("DELETE FROM removed_blobs WHERE key = ANY ($1)", [rows.map(({ key }) => key)]);
}

/** Whether any of these is being removed at this moment. */
export async function areBlobsBusy(db: Queryable, keys: readonly string[]): Promise<boolean> {
  const rows = await db.query("SELECT FROM removed_blobs WHERE key = ANY ($1) AND state = 'deleting' LIMIT 1", [keys]);
  return rows.length > 0;
}

/** Takes some blobs whose turn it is to be removed, also those a dead worker had begun on; the caller removes them. */
export async function takeBlobsToRemove(db: Database, limit: number, now: Date): Promise<readonly string[]> {
  return db.transaction(async (tx) => {
    await lockSnapshots(tx);
    const rows = await tx.query<{ key: string }>(
      `UPDATE removed_blobs SET state = 'deleting', changed_at = $2 WHERE key IN (
         SELECT key FROM removed_blobs WHERE state IN ('queued', 'deleting') ORDER BY state, changed_at LIMIT $1)
       RETURNING key`,
      [limit, now],
    );
    return rows.map(({ key }) => key);
  });
}

/** Notes that blobs are gone, and forgets those that have been for long. */
export async function noteBlobsRemoved(db: Queryable, keys: readonly string[], now: Date): Promise<void> {
  await db.query("UPDATE removed_blobs SET state = 'deleted', changed_at = $2 WHERE key = ANY ($1)", [keys, now]);
  await db.query("DELETE FROM removed_blobs WHERE state = 'deleted' AND changed_at < $1", [
    new Date(now.getTime() - REMEMBERED_MS),
  ]);
}

/** Of these snapshots, those that no row knows: what a crash left between writing bytes and writing rows. */
export async function findUnknownSnapshots(db: Queryable, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT given.id FROM unnest($1::text[]) AS given (id)
     WHERE NOT EXISTS (SELECT FROM snapshots WHERE snapshots.id = given.id)`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Queues blobs for removal that no row knows; those on their way out already stay as they are. */
export async function queueBlobRemoval(db: Queryable, keys: readonly string[], now: Date): Promise<void> {
  await db.query(
    `INSERT INTO removed_blobs (key, state, changed_at) SELECT key, 'queued', $2 FROM unnest($1::text[]) AS given (key)
     ON CONFLICT (key) DO NOTHING`,
    [keys, now],
  );
}
