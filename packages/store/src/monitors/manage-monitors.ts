import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { deleteJobSchedule, setJobSchedule } from "../jobs/job-schedules.ts";
import { toJsonb } from "../jsonb.ts";
import {
  MONITOR_RUN_COLUMNS,
  toMonitor,
  toMonitorRun,
  type Monitor,
  type MonitorRow,
  type MonitorRunRow,
} from "./monitor.ts";

/** The kind of the jobs that a monitor's slots become; the payload is `{monitorId}`. */
export const MONITOR_SLOT_JOB = "monitor-slot";

/** A slot is not lost because workers die over it. */
const SLOT_ATTEMPTS = 1_000;

/** What a new monitor is made of. */
export type NewMonitor = Pick<Monitor, "id" | "teamId" | "websetId" | "cron" | "timeZone" | "behavior" | "metadata">;

/** What may change of a monitor. */
export type MonitorChange = {
  readonly [Field in "status" | "cron" | "timeZone" | "behavior" | "metadata"]?: Monitor[Field] | undefined;
};

/** Makes an enabled monitor with its schedule. The same id again changes nothing; `isNew` says which it was. */
export async function createMonitor(
  tx: Transaction,
  wanted: NewMonitor,
  now: Date,
): Promise<{ readonly monitor: Monitor; readonly isNew: boolean }> {
  const made = await tx.query(
    `INSERT INTO monitors (id, team_id, webset_id, status, cron, time_zone, behavior, metadata, created_at, updated_at)
     VALUES ($1, $2, $3, 'enabled', $4, $5, $6, $7, $8, $8) ON CONFLICT (id) DO NOTHING RETURNING 1`,
    [
      wanted.id,
      wanted.teamId,
      wanted.websetId,
      wanted.cron,
      wanted.timeZone,
      toJsonb(wanted.behavior),
      toJsonb(wanted.metadata),
      now,
    ],
  );
  const isNew = made.length === 1;
  if (isNew) await schedule(tx, { ...wanted, status: "enabled" }, now);
  return { monitor: await getMonitor(tx, wanted.teamId, wanted.id), isNew };
}

/** One monitor of the team; throws `not_found`, also for another team's. */
export async function getMonitor(db: Queryable, teamId: string, id: string): Promise<Monitor> {
  const [monitor] = await select(db, "monitor.id = $1 AND monitor.team_id = $2", "", [id, teamId]);
  if (monitor === undefined) throw new AppError("not_found", "there is no monitor with this id");
  return monitor;
}

/** The team's monitors, newest first. */
export async function listMonitors(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly websetId?: string | undefined },
): Promise<Page<Monitor>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const monitors = await select(
    db,
    "monitor.team_id = $1 AND ($2::text IS NULL OR monitor.id < $2) AND ($3::text IS NULL OR monitor.webset_id = $3)",
    "LIMIT $4",
    [teamId, before ?? null, page.websetId ?? null, page.limit + 1],
  );
  return toPage(monitors, page.limit, ({ id }) => [id]);
}

/** The monitors of websets, newest first. */
export async function listMonitorsOfWebsets(db: Queryable, websetIds: readonly string[]): Promise<readonly Monitor[]> {
  return select(db, "monitor.webset_id = ANY ($1)", "", [websetIds]);
}

/** Changes a monitor and its schedule with it. A new cadence, or being enabled again, counts from `now`. */
export async function changeMonitor(
  tx: Transaction,
  teamId: string,
  id: string,
  change: MonitorChange,
  now: Date,
): Promise<Monitor> {
  const [row] = await tx.query<Omit<MonitorRow, "next_slot_at">>(
    `UPDATE monitors SET status = coalesce($3, status), cron = coalesce($4, cron), time_zone = coalesce($5, time_zone),
       behavior = coalesce($6, behavior), metadata = coalesce($7, metadata), updated_at = $8
     WHERE id = $1 AND team_id = $2 RETURNING *`,
    [
      id,
      teamId,
      change.status ?? null,
      change.cron ?? null,
      change.timeZone ?? null,
      change.behavior === undefined ? null : toJsonb(change.behavior),
      change.metadata === undefined ? null : toJsonb(change.metadata),
      now,
    ],
  );
  if (row === undefined) throw new AppError("not_found", "there is no monitor with this id");
  await schedule(tx, toMonitor({ ...row, next_slot_at: null }, null), now);
  return getMonitor(tx, teamId, id);
}

/** Takes a monitor away with its runs and its schedule; answers what it was. */
export async function deleteMonitor(tx: Transaction, teamId: string, id: string): Promise<Monitor> {
  const monitor = await getMonitor(tx, teamId, id);
  await deleteJobSchedule(tx, scheduleName(id));
  await tx.query("DELETE FROM monitors WHERE id = $1", [id]);
  return monitor;
}

function scheduleName(id: string): string {
  return `monitor:${id}`;
}

async function schedule(
  tx: Transaction,
  monitor: Pick<Monitor, "id" | "teamId" | "status" | "cron" | "timeZone">,
  now: Date,
): Promise<void> {
  if (monitor.status === "disabled") {
    await deleteJobSchedule(tx, scheduleName(monitor.id));
    return;
  }
  await setJobSchedule(
    tx,
    {
      name: scheduleName(monitor.id),
      kind: MONITOR_SLOT_JOB,
      teamId: monitor.teamId,
      payload: { monitorId: monitor.id },
      pattern: monitor.cron,
      timeZone: monitor.timeZone,
      maxAttempts: SLOT_ATTEMPTS,
    },
    { now },
  );
}

async function select(
  db: Queryable,
  condition: string,
  limit: string,
  values: readonly unknown[],
): Promise<readonly Monitor[]> {
  const rows = await db.query<MonitorRow & { readonly last_run_id: string | null }>(
    `SELECT monitor.*, schedule.next_slot_at,
       (SELECT run.id FROM monitor_runs AS run WHERE run.monitor_id = monitor.id ORDER BY run.id DESC LIMIT 1) AS last_run_id
     FROM monitors AS monitor LEFT JOIN job_schedules AS schedule ON schedule.name = 'monitor:' || monitor.id
     WHERE ${condition} ORDER BY monitor.id DESC ${limit}`,
    values,
  );
  const runs = await db.query<MonitorRunRow>(`SELECT ${MONITOR_RUN_COLUMNS} FROM monitor_runs WHERE id = ANY ($1)`, [
    rows.flatMap(({ last_run_id: id }) => (id === null ? [] : [id])),
  ]);
  return rows.map((row) => {
    const run = runs.find(({ id }) => id === row.last_run_id);
    return toMonitor(row, run === undefined ? null : toMonitorRun(run));
  });
}
