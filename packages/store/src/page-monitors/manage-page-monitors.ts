import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb } from "../jsonb.ts";
import { citeSnapshots, dropCitations, type CitedText } from "../retention/cite-snapshots.ts";
import { PAGE_MONITOR_COLUMNS, toPageMonitor, type PageMonitor, type PageMonitorRow } from "./page-monitor.ts";

/** The kind of the jobs that check pages; the payload is `{monitorId, dueAt}`. */
export const PAGE_MONITOR_JOB = "page-monitor";

/** What a new one is made of. */
export type NewPageMonitor = Pick<PageMonitor, "id" | "teamId" | "url" | "everyMinutes" | "metadata">;

/** What can be changed of one. */
export type PageMonitorChange = Partial<Pick<PageMonitor, "status" | "everyMinutes" | "metadata">>;

/** What a check found. */
export interface PageCheck {
  readonly text: CitedText | null;
  readonly isChanged: boolean;
  readonly error: string | null;
}

const MINUTE_MS = 60_000;
/** A worker that dies is no fault of the page. */
const ATTEMPTS = 100;

/** Makes a monitor, whose first check is due now. The same id again changes nothing. */
export function createPageMonitor(db: Database, monitor: NewPageMonitor, now: Date): Promise<PageMonitor> {
  return db.transaction(async (tx) => {
    const { id, teamId, url, everyMinutes, metadata } = monitor;
    const made = await tx.query(
      `INSERT INTO page_monitors (id, team_id, url, status, every_minutes, metadata, next_check_at, created_at, updated_at)
       VALUES ($1, $2, $3, 'enabled', $4, $5, $6, $6, $6) ON CONFLICT (id) DO NOTHING RETURNING 1`,
      [id, teamId, url, everyMinutes, toJsonb(metadata), now],
    );
    const kept = await getPageMonitor(tx, teamId, id);
    if (made.length > 0) await enqueueCheck(tx, kept);
    return kept;
  });
}

/** One monitor of the team; throws `not_found`, also for another team's. */
export async function getPageMonitor(db: Queryable, teamId: string, id: string): Promise<PageMonitor> {
  const monitor = await findPageMonitor(db, id);
  if (monitor?.teamId !== teamId) throw notFound();
  return monitor;
}

/** One monitor of whichever team, for its job. */
export async function findPageMonitor(db: Queryable, id: string): Promise<PageMonitor | undefined> {
  const [row] = await db.query<PageMonitorRow>(`SELECT ${PAGE_MONITOR_COLUMNS} FROM page_monitors WHERE id = $1`, [id]);
  return row === undefined ? undefined : toPageMonitor(row);
}

/** The team's monitors, newest first. */
export async function listPageMonitors(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<PageMonitor>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<PageMonitorRow>(
    `SELECT ${PAGE_MONITOR_COLUMNS} FROM page_monitors WHERE team_id = $1 AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toPageMonitor), page.limit, ({ id }) => [id]);
}

/** Changes a monitor. Enabled anew, or with `checkNow`, its next check is due now; with another pace, one pace after the last. */
export function updatePageMonitor(
  db: Database,
  place: { readonly teamId: string; readonly id: string },
  change: PageMonitorChange & { readonly checkNow?: boolean },
  now: Date,
): Promise<PageMonitor> {
  return db.transaction(async (tx) => {
    await getPageMonitor(tx, place.teamId, place.id);
    const before = await lockPageMonitor(tx, place.id);
    const { status = before.status, everyMinutes = before.everyMinutes } = change;
    const isDueNow = change.checkNow === true || before.status === "disabled";
    const paceMs = everyMinutes * MINUTE_MS;
    const nextMs = isDueNow ? now.getTime() : Math.max(now.getTime(), (before.checkedAt ?? now).getTime() + paceMs);
    const isMoved = isDueNow || everyMinutes !== before.everyMinutes;
    const nextCheckAt = status === "disabled" ? null : isMoved ? new Date(nextMs) : before.nextCheckAt;
    const [row] = await tx.query<PageMonitorRow>(
      `UPDATE page_monitors SET status = $2, every_minutes = $3, metadata = coalesce($4, metadata), next_check_at = $5,
         updated_at = $6
       WHERE id = $1 RETURNING ${PAGE_MONITOR_COLUMNS}`,
      [
        place.id,
        status,
        everyMinutes,
        change.metadata === undefined ? null : toJsonb(change.metadata),
        nextCheckAt,
        now,
      ],
    );
    if (row === undefined) throw notFound();
    const monitor = toPageMonitor(row);
    if (nextCheckAt?.getTime() !== before.nextCheckAt?.getTime()) await enqueueCheck(tx, monitor);
    return monitor;
  });
}

/** Removes a monitor and returns it as it was. */
export function deletePageMonitor(db: Database, teamId: string, id: string): Promise<PageMonitor> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<PageMonitorRow>(
      `DELETE FROM page_monitors WHERE team_id = $1 AND id = $2 RETURNING ${PAGE_MONITOR_COLUMNS}`,
      [teamId, id],
    );
    if (row === undefined) throw notFound();
    await dropCitations(tx, { kind: "page_monitor", id });
    return toPageMonitor(row);
  });
}

/**
 * Keeps what a check found and queues the next one, in the transaction that ends the check's job. Undefined, and nothing
 * kept, when the monitor was changed or removed meanwhile.
 */
export async function recordPageCheck(
  tx: Transaction,
  due: { readonly id: string; readonly dueAt: Date },
  check: PageCheck,
  now: Date,
): Promise<PageMonitor | undefined> {
  const [locked] = await tx.query<PageMonitorRow>(
    `SELECT ${PAGE_MONITOR_COLUMNS} FROM page_monitors WHERE id = $1 FOR UPDATE`,
    [due.id],
  );
  if (locked?.next_check_at?.getTime() !== due.dueAt.getTime()) return undefined;
  const [row] = await tx.query<PageMonitorRow>(
    `UPDATE page_monitors SET checked_at = $2, checks = checks + 1, error = $3,
       changes = changes + CASE WHEN $4 THEN 1 ELSE 0 END, changed_at = CASE WHEN $4 THEN $2 ELSE changed_at END,
       snapshot_id = coalesce($5, snapshot_id), extractor_version = coalesce($6, extractor_version),
       next_check_at = $2 + every_minutes * interval '1 minute'
     WHERE id = $1 RETURNING ${PAGE_MONITOR_COLUMNS}`,
    [due.id, now, check.error, check.isChanged, check.text?.snapshotId ?? null, check.text?.extractorVersion ?? null],
  );
  if (row === undefined) return undefined;
  const monitor = toPageMonitor(row);
  if (check.text !== null) {
    await dropCitations(tx, { kind: "page_monitor", id: due.id });
    await citeSnapshots(tx, { kind: "page_monitor", id: due.id }, [check.text]);
  }
  await enqueueCheck(tx, monitor);
  return monitor;
}

async function lockPageMonitor(tx: Transaction, id: string): Promise<PageMonitor> {
  const [row] = await tx.query<PageMonitorRow>(
    `SELECT ${PAGE_MONITOR_COLUMNS} FROM page_monitors WHERE id = $1 FOR UPDATE`,
    [id],
  );
  if (row === undefined) throw notFound();
  return toPageMonitor(row);
}

/** The job of a check that was moved meanwhile finds its time out of date, and does nothing. */
async function enqueueCheck(tx: Transaction, monitor: PageMonitor): Promise<void> {
  const { id, teamId, nextCheckAt } = monitor;
  if (nextCheckAt === null) return;
  await enqueueJob(tx, {
    kind: PAGE_MONITOR_JOB,
    teamId,
    payload: { monitorId: id, dueAt: nextCheckAt.toISOString() },
    runAt: nextCheckAt,
    key: `page-monitor:${id}`,
    maxPerKey: 1,
    maxAttempts: ATTEMPTS,
  });
}

function notFound(): AppError {
  return new AppError("not_found", "Page monitor not found");
}
