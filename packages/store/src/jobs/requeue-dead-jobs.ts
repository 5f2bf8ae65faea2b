import type { Queryable } from "../database.ts";

/**
 * Gives dead jobs a new life, with all their tries, in the caller's transaction.
 * Returns the ids that were dead; others, and those of another team when `teamId` is
 * given, are left as they are.
 */
export async function requeueDeadJobs(
  tx: Queryable,
  ids: readonly string[],
  options: { readonly teamId?: string } = {},
): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    `WITH dead AS (
       SELECT id FROM jobs WHERE id = ANY ($1) AND state = 'dead' AND ($2::text IS NULL OR team_id = $2)
       ORDER BY id FOR UPDATE
     ), requeued AS (
       UPDATE jobs SET state = 'queued', attempts = 0, run_at = now(), finished_at = NULL
       FROM dead WHERE jobs.id = dead.id RETURNING jobs.id, kind
     )
     SELECT id, (SELECT wake_job_runners(array_agg(kind)) FROM requeued) FROM requeued`,
    [ids, options.teamId ?? null],
  );
  return rows.map(({ id }) => id);
}
