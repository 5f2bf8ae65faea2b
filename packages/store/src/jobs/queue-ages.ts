import type { Queryable } from "../database.ts";

/** How long the job that has waited longest of each kind is overdue, in seconds; kinds with none waiting are left out. */
export async function readQueueAges(db: Queryable): Promise<Readonly<Record<string, number>>> {
  const rows = await db.query<{ kind: string; seconds: number }>(
    `SELECT kind, extract(epoch FROM now() - min(run_at))::double precision AS seconds
     FROM jobs WHERE state IN ('queued', 'blocked') GROUP BY kind`,
  );
  return Object.fromEntries(rows.map(({ kind, seconds }) => [kind, Math.max(0, seconds)]));
}
