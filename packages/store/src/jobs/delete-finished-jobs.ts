import type { Database } from "../database.ts";

/** The states a job ends in. */
export type FinishedState = "completed" | "dead" | "canceled";

const JOBS_PER_STATEMENT = 1_000;
const MAX_STATEMENTS = 100;

/**
 * Forgets jobs that have been in `state` for longer than `olderThanMs`, in statements
 * small enough to disturb nobody; returns how many. Past 100,000 the rest is left to the next call.
 */
export async function deleteFinishedJobs(
  db: Database,
  options: { readonly state: FinishedState; readonly olderThanMs: number },
): Promise<number> {
  let deleted = 0;
  for (let statement = 0; statement < MAX_STATEMENTS; statement += 1) {
    const rows = await db.query(
      `DELETE FROM jobs WHERE id IN (
         SELECT id FROM jobs WHERE state = $1 AND state IN ('completed', 'dead', 'canceled')
           AND finished_at < now() - $2 * interval '1 millisecond'
         ORDER BY finished_at LIMIT ${JOBS_PER_STATEMENT} FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [options.state, options.olderThanMs],
    );
    deleted += rows.length;
    if (rows.length < JOBS_PER_STATEMENT) break;
  }
  return deleted;
}
