import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { moveMonitorRun, type MonitorRunMove } from "./monitor-run-state.ts";
import { MONITOR_RUN_COLUMNS, toMonitorRun, type Monitor, type MonitorRun, type MonitorRunRow } from "./monitor.ts";

/** The kind of the jobs that carry runs through; the payload is `{runId, looks}`. */
export const MONITOR_RUN_JOB = "monitor-run";

/** A worker that dies under a run is no fault of the run: it may lose many. */
const RUN_ATTEMPTS = 1_000;
/** How long until the first look at what a run began; each look waits longer than the one before. */
const FIRST_LOOK_MS = 500;
const LAST_LOOK_MS = 15_000;

/** Makes a run and its job; undefined when this slot has had its run. */
export async function createMonitorRun(
  tx: Transaction,
  run: {
    readonly id: string;
    readonly monitor: Monitor;
    readonly type: MonitorRun["type"];
    readonly slotAt: Date | null;
  },
  now: Date,
): Promise<MonitorRun | undefined> {
  const [row] = await tx.query<MonitorRunRow>(
    `INSERT INTO monitor_runs (id, monitor_id, team_id, type, status, slot_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'created', $5, $6, $6) ON CONFLICT DO NOTHING RETURNING ${MONITOR_RUN_COLUMNS}`,
    [run.id, run.monitor.id, run.monitor.teamId, run.type, run.slotAt, now],
  );
  if (row === undefined) return undefined;
  await enqueueJob(tx, {
    kind: MONITOR_RUN_JOB,
    teamId: run.monitor.teamId,
    payload: { runId: run.id, looks: 0 },
    maxAttempts: RUN_ATTEMPTS,
  });
  return toMonitorRun(row);
}

/** Has a run looked at again in a while; the more looks there were, the later. */
export async function lookAgainAtRun(tx: Transaction, run: MonitorRun, looks: number, now: Date): Promise<void> {
  const waitMs = Math.min(LAST_LOOK_MS, FIRST_LOOK_MS * 2 ** looks);
  await enqueueJob(tx, {
    kind: MONITOR_RUN_JOB,
    teamId: run.teamId,
    payload: { runId: run.id, looks: looks + 1 },
    runAt: new Date(now.getTime() + waitMs),
    maxAttempts: RUN_ATTEMPTS,
  });
}

/** A run by its id, whoever's, for its job; undefined when its monitor is gone. */
export async function findMonitorRun(db: Queryable, id: string): Promise<MonitorRun | undefined> {
  const [row] = await db.query<MonitorRunRow>(`SELECT ${MONITOR_RUN_COLUMNS} FROM monitor_runs WHERE id = $1`, [id]);
  return row === undefined ? undefined : toMonitorRun(row);
}

/** A run of a team's monitor; throws `not_found`. */
export async function getMonitorRun(db: Queryable, teamId: string, monitorId: string, id: string): Promise<MonitorRun> {
  const run = await findMonitorRun(db, id);
  if (run?.teamId !== teamId || run.monitorId !== monitorId) {
    throw new AppError("not_found", "there is no run with this id of this monitor");
  }
  return run;
}

/** A monitor's runs, newest first; empty for a monitor that the team does not have. */
export async function listMonitorRuns(
  db: Queryable,
  teamId: string,
  monitorId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<MonitorRun>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<MonitorRunRow>(
    `SELECT ${MONITOR_RUN_COLUMNS} FROM monitor_runs
     WHERE monitor_id = $1 AND team_id = $2 AND ($3::text IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
    [monitorId, teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toMonitorRun), page.limit, ({ id }) => [id]);
}

/** The runs of a monitor that have not ended. */
export async function listOpenMonitorRuns(db: Queryable, monitorId: string): Promise<readonly MonitorRun[]> {
  const rows = await db.query<MonitorRunRow>(
    `SELECT ${MONITOR_RUN_COLUMNS} FROM monitor_runs WHERE monitor_id = $1 AND status IN ('created', 'running')`,
    [monitorId],
  );
  return rows.map(toMonitorRun);
}

/** Moves a run; undefined when its status no longer allows it. Locks the row. */
export async function moveMonitorRunBy(
  tx: Transaction,
  id: string,
  change: {
    readonly move: MonitorRunMove;
    readonly reason?: string | undefined;
    readonly now: Date;
  },
): Promise<MonitorRun | undefined> {
  const [locked] = await tx.query<MonitorRunRow>(
    `SELECT ${MONITOR_RUN_COLUMNS} FROM monitor_runs WHERE id = $1 FOR UPDATE`,
    [id],
  );
  const status = locked === undefined ? undefined : moveMonitorRun(locked.status, change.move);
  if (status === undefined) return undefined;
  const [row] = await tx.query<MonitorRunRow>(
    `UPDATE monitor_runs SET status = $2, updated_at = $4,
       failed_reason = CASE WHEN $2 = 'failed' THEN $3 END, canceled_reason = CASE WHEN $2 = 'canceled' THEN $3 END,
       completed_at = CASE WHEN $2 = 'completed' THEN $4::timestamptz END,
       failed_at = CASE WHEN $2 = 'failed' THEN $4::timestamptz END,
       canceled_at = CASE WHEN $2 = 'canceled' THEN $4::timestamptz END
     WHERE id = $1 RETURNING ${MONITOR_RUN_COLUMNS}`,
    [id, status, change.reason ?? null, change.now],
  );
  return row === undefined ? undefined : toMonitorRun(row);
}

/** Remembers how far a running refresh has come. Throws `conflict` when it has ended, or another worker went on. */
export async function advanceMonitorRun(
  tx: Transaction,
  id: string,
  step: { readonly from: number; readonly to: number; readonly now: Date },
): Promise<void> {
  const rows = await tx.query(
    `UPDATE monitor_runs SET position = $3, updated_at = $4 WHERE id = $1 AND status = 'running' AND position = $2
     RETURNING 1`,
    [id, step.from, step.to, step.now],
  );
  if (rows.length === 0) {
    throw new AppError("conflict", "the run has gone on, or ended, without this worker", { retryable: true });
  }
}

/** Notes which search a run has begun. */
export async function nameRunSearch(tx: Transaction, id: string, searchId: string): Promise<void> {
  await tx.query("UPDATE monitor_runs SET search_id = $2 WHERE id = $1", [id, searchId]);
}
