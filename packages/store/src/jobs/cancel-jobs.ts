import { AppError } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { isFinished, type JobState } from "./job-state.ts";

/** What a request to cancel did: ended a waiting job, asked a running one to stop, or came too late. */
export type CancelOutcome = "canceled" | "stopping" | "finished-already";

/**
 * Calls a job off in the caller's transaction. A waiting job is canceled at once; a
 * running one hears its signal abort soon after the commit, and cannot complete from
 * then on. Throws `not_found` for an unknown id, and for another team's when `teamId`
 * is given.
 */
export async function cancelJob(
  tx: Queryable,
  id: string,
  options: { readonly teamId?: string } = {},
): Promise<CancelOutcome> {
  const outcome = (await cancelJobs(tx, [id], options)).get(id);
  if (outcome === undefined) throw new AppError("not_found", `there is no job ${id}`);
  return outcome;
}

/** Calls many jobs off; the result has the outcome of each that was found. */
export async function cancelJobs(
  tx: Queryable,
  ids: readonly string[],
  options: { readonly teamId?: string } = {},
): Promise<ReadonlyMap<string, CancelOutcome>> {
  const rows = await tx.query<{ id: string; state: JobState; was_open: boolean }>(
    `WITH found AS (
       SELECT id, state FROM jobs WHERE id = ANY ($1) AND ($2::text IS NULL OR team_id = $2)
       ORDER BY id FOR UPDATE
     ), changed AS (
       UPDATE jobs SET
         state = CASE jobs.state WHEN 'running' THEN 'running' ELSE 'canceled' END,
         finished_at = CASE jobs.state WHEN 'running' THEN NULL ELSE clock_timestamp() END,
         cancel_requested_at = CASE jobs.state WHEN 'running' THEN coalesce(cancel_requested_at, clock_timestamp()) END
       FROM found WHERE jobs.id = found.id AND jobs.state IN ('scheduled', 'queued', 'blocked', 'running')
       RETURNING jobs.id, jobs.state
     ), told AS (
       SELECT count(pg_notify('quarry_jobs', 'cancel:' || id)) FROM changed WHERE state = 'running'
     )
     SELECT found.id, coalesce(changed.state, found.state) AS state, changed.id IS NOT NULL AS was_open
     FROM told CROSS JOIN found LEFT JOIN changed ON changed.id = found.id`,
    [ids, options.teamId ?? null],
  );
  return new Map(rows.map(({ id, state, was_open }) => [id, was_open ? toOutcome(state) : "finished-already"]));
}

function toOutcome(state: JobState): CancelOutcome {
  return isFinished(state) ? "canceled" : "stopping";
}
