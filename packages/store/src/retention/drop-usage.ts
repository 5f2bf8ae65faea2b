import type { Database } from "../database.ts";
import { usageBefore } from "./plan-retention.ts";
import type { RetentionPolicy } from "./retention-policy.ts";

const ROWS_PER_STATEMENT = 5_000;
const MAX_STATEMENTS = 1_000;

/** Forgets usage records older than the policy keeps; what keys have spent stays with the keys. Answers how many. */
export async function dropOldUsage(
  db: Database,
  policy: RetentionPolicy,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<number> {
  let dropped = 0;
  for (let statement = 0; statement < MAX_STATEMENTS; statement += 1) {
    signal.throwIfAborted();
    const rows = await db.query(
      `DELETE FROM usage_records WHERE id IN (
         SELECT id FROM usage_records WHERE at < $1 ORDER BY id LIMIT ${ROWS_PER_STATEMENT}) RETURNING 1`,
      [usageBefore(policy, now)],
    );
    dropped += rows.length;
    if (rows.length < ROWS_PER_STATEMENT) break;
  }
  return dropped;
}
