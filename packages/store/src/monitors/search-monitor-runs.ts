import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import {
  toSearchMonitorRun,
  type SearchMonitor,
  type SearchMonitorRun,
  type SearchMonitorRunRow,
} from "./search-monitor.ts";

/** The kind of the jobs that run the searches; the payload is `{runId}`. */
export const SEARCH_MONITOR_RUN_JOB = "search-monitor-run";

/** A worker that dies under a run is no fault of the run: it may lose many. */
const RUN_ATTEMPTS = 1_000;

/** Makes a run and its job. The runs of one monitor go one after the other: each must know what those before it showed. */
export async function createSearchMonitorRun(
  tx: Transaction,
  run: { readonly id: string; readonly monitor: SearchMonitor },
  now: Date,
): Promise<SearchMonitorRun> {
  await tx.query(
    `INSERT INTO search_monitor_runs (id, monitor_id, status, created_at, updated_at) VALUES ($1, $2, 'pending', $3, $3)`,
    [run.id, run.monitor.id, now],
  );
  await enqueueJob(tx, {
    kind: SEARCH_MONITOR_RUN_JOB,
    teamId: run.monitor.teamId,
    payload: { runId: run.id },
    key: `search-monitor:${run.monitor.id}`,
    maxPerKey: 1,
    maxAttempts: RUN_ATTEMPTS,
  });
  const made = await findSearchMonitorRun(tx, run.id);
  if (made === undefined) throw new AppError("internal", "a run was made and is not there");
  return made;
}

/** A run by its id, whoever's; undefined when its monitor is gone. */
export async function findSearchMonitorRun(db: Queryable, id: string): Promise<SearchMonitorRun | undefined> {
  const [row] = await db.query<SearchMonitorRunRow>(`${SELECT} WHERE run.id = $1`, [id]);
  return row === undefined ? undefined : toSearchMonitorRun(row);
}

/** A monitor's runs, newest first. */
export async function listSearchMonitorRuns(
  db: Queryable,
  monitorId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<SearchMonitorRun>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<SearchMonitorRunRow>(
    `${SELECT} WHERE run.monitor_id = $1 AND ($2::text IS NULL OR run.id < $2) ORDER BY run.id DESC LIMIT $3`,
    [monitorId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toSearchMonitorRun), page.limit, ({ id }) => [id]);
}

/** Notes that a run's search is under way; false when the run has ended. */
export async function startSearchMonitorRun(db: Queryable, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    `UPDATE search_monitor_runs SET status = 'running', started_at = coalesce(started_at, $2), updated_at = $2
     WHERE id = $1 AND status IN ('pending', 'running') RETURNING 1`,
    [id, now],
  );
  return rows.length === 1;
}

/** How a run ended. */
export type SearchMonitorRunEnd =
  | { readonly status: "completed"; readonly output: Json }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "cancelled" };

/** Ends a run; undefined when it has ended before. */
export async function endSearchMonitorRun(
  tx: Transaction,
  id: string,
  end: SearchMonitorRunEnd,
  now: Date,
): Promise<SearchMonitorRun | undefined> {
  const rows = await tx.query(
    `UPDATE search_monitor_runs SET status = $2, output = $3, fail_reason = $4, updated_at = $5,
       completed_at = CASE WHEN $2 = 'completed' THEN $5::timestamptz END,
       failed_at = CASE WHEN $2 = 'failed' THEN $5::timestamptz END,
       cancelled_at = CASE WHEN $2 = 'cancelled' THEN $5::timestamptz END
     WHERE id = $1 AND status IN ('pending', 'running') RETURNING 1`,
    [
      id,
      end.status,
      end.status === "completed" ? toJsonb(end.output) : null,
      end.status === "failed" ? end.reason : null,
      now,
    ],
  );
  return rows.length === 0 ? undefined : findSearchMonitorRun(tx, id);
}

/** Of these keys of results, those that earlier runs have shown. */
export async function findShownResults(
  db: Queryable,
  monitorId: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ readonly key: string }>(
    "SELECT key FROM search_monitor_results WHERE monitor_id = $1 AND key = ANY ($2)",
    [monitorId, keys],
  );
  return new Set(rows.map(({ key }) => key));
}

/** Remembers what a run has shown. */
export async function keepShownResults(
  tx: Transaction,
  run: Pick<SearchMonitorRun, "id" | "monitorId">,
  keys: readonly string[],
): Promise<void> {
  await tx.query(
    `INSERT INTO search_monitor_results (monitor_id, key, run_id) SELECT $1, key, $3 FROM unnest($2::text[]) AS key
     ON CONFLICT DO NOTHING`,
    [run.monitorId, keys, run.id],
  );
}

const SELECT = `SELECT run.*, monitor.metadata
  FROM search_monitor_runs AS run JOIN search_monitors AS monitor ON monitor.id = run.monitor_id`;
