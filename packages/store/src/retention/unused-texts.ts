import type { Database } from "../database.ts";
import { isUnreferenced, readReferences } from "./references.ts";
import { lockSnapshots } from "./snapshot-lock.ts";

const ROWS_PER_TRANSACTION = 500;
const MAX_TRANSACTIONS = 2_000;

/** What was taken away. */
export interface DroppedTexts {
  readonly texts: number;
  readonly snapshots: number;
}

/**
 * Takes away texts that nothing refers to, then snapshots without a text or anyone else who refers to them, and queues
 * their blobs for removal in the same transaction. `toBlobKey` says under which key a snapshot's bytes lie.
 */
export async function dropUnusedTexts(
  db: Database,
  toBlobKey: (snapshotId: string) => string,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<DroppedTexts> {
  const ofTexts = isUnreferenced(await readReferences(db, "extracted_texts"), "text");
  const ofSnapshots = isUnreferenced(await readReferences(db, "snapshots"), "snapshot");
  let [texts, snapshots] = [0, 0];
  for (let turn = 0; turn < MAX_TRANSACTIONS; turn += 1) {
    signal.throwIfAborted();
    // Looked for without the lock; looked at again with it.
    const found = await db.query<{ snapshot_id: string; extractor_version: string }>(
      `SELECT text.snapshot_id, text.extractor_version FROM extracted_texts AS text WHERE ${ofTexts} LIMIT ${ROWS_PER_TRANSACTION}`,
    );
    const lone = await db.query<{ id: string }>(
      `SELECT snapshot.id FROM snapshots AS snapshot WHERE ${ofSnapshots} LIMIT ${ROWS_PER_TRANSACTION}`,
    );
    if (found.length === 0 && lone.length === 0) break;
    const dropped = await db.transaction(async (tx) => {
      await lockSnapshots(tx);
      const gone = await tx.query(
        `DELETE FROM extracted_texts AS text USING unnest($1::text[], $2::text[]) AS given (snapshot_id, extractor_version)
         WHERE text.snapshot_id = given.snapshot_id AND text.extractor_version = given.extractor_version AND ${ofTexts}
         RETURNING 1`,
        [found.map((row) => row.snapshot_id), found.map((row) => row.extractor_version)],
      );
      const ids = [...new Set([...found.map((row) => row.snapshot_id), ...lone.map(({ id }) => id)])];
      const removed = await tx.query<{ id: string }>(
        `DELETE FROM snapshots AS snapshot WHERE id = ANY ($1) AND ${ofSnapshots} RETURNING id`,
        [ids],
      );
      await tx.query(
        `INSERT INTO removed_blobs (key, state, changed_at) SELECT key, 'queued', $2 FROM unnest($1::text[]) AS given (key)
         ON CONFLICT (key) DO UPDATE SET state = 'queued', changed_at = excluded.changed_at`,
        [removed.map(({ id }) => toBlobKey(id)), now],
      );
      return { texts: gone.length, snapshots: removed.length };
    });
    texts += dropped.texts;
    snapshots += dropped.snapshots;
    if (dropped.texts === 0 && dropped.snapshots === 0) break; // all in use again since they were found
  }
  return { texts, snapshots };
}
