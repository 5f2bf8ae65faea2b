import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { toSearchMonitor, type SearchMonitor, type SearchMonitorRow } from "./search-monitor.ts";

/** The kind of the jobs that a search monitor's moments become; the payload is `{monitorId, at}`. */
export const SEARCH_MONITOR_SLOT_JOB = "search-monitor-slot";

/** A monitor whose moment is lost would never run again. */
const MOMENT_ATTEMPTS = 1_000;

/** Which monitors are meant; all conditions hold. */
export interface SearchMonitorFilter {
  readonly status?: SearchMonitor["status"] | undefined;
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** What a new one is made of; its webhook is made before it. */
export type NewSearchMonitor = Pick<
  SearchMonitor,
  "id" | "teamId" | "keyId" | "name" | "search" | "trigger" | "outputSchema" | "metadata" | "nextRunAt"
> & { readonly webhookId: string };

/** Makes an active monitor and the job of its first moment. The same id again changes nothing; `isNew` says which it was. */
export async function createSearchMonitor(
  tx: Transaction,
  wanted: NewSearchMonitor,
  now: Date,
): Promise<{ readonly monitor: SearchMonitor; readonly isNew: boolean }> {
  const made = await tx.query(
    `INSERT INTO search_monitors (id, team_id, key_id, name, status, search, trigger, output_schema, metadata, webhook_id,
       next_run_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'active', $5, $6, $7, $8, $9, $10, $11, $11) ON CONFLICT (id) DO NOTHING RETURNING 1`,
    [
      wanted.id,
      wanted.teamId,
      wanted.keyId,
      wanted.name,
      toJsonb(wanted.search),
      orNull(wanted.trigger),
      orNull(wanted.outputSchema),
      orNull(wanted.metadata),
      wanted.webhookId,
      wanted.nextRunAt,
      now,
    ],
  );
  const monitor = await getSearchMonitor(tx, wanted.teamId, wanted.id);
  if (made.length === 1) await enqueueMoment(tx, monitor);
  return { monitor, isNew: made.length === 1 };
}

/** One of the team; throws `not_found`, also for another team's. */
export async function getSearchMonitor(db: Queryable, teamId: string, id: string): Promise<SearchMonitor> {
  const found = await findSearchMonitor(db, id);
  if (found?.teamId !== teamId) throw new AppError("not_found", "there is no monitor with this id");
  return found;
}

/** One by its id, whoever's; for its jobs. */
export async function findSearchMonitor(db: Queryable, id: string): Promise<SearchMonitor | undefined> {
  const [row] = await db.query<SearchMonitorRow>(`${SELECT} WHERE monitor.id = $1`, [id]);
  return row === undefined ? undefined : toSearchMonitor(row);
}

/** Takes one for the rest of the transaction; undefined when it is gone. */
export async function lockSearchMonitor(tx: Transaction, id: string): Promise<SearchMonitor | undefined> {
  await tx.query("SELECT FROM search_monitors WHERE id = $1 FOR UPDATE", [id]);
  return findSearchMonitor(tx, id);
}

/** The team's, newest first. */
export async function listSearchMonitors(
  db: Queryable,
  teamId: string,
  page: SearchMonitorFilter & { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<SearchMonitor>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<SearchMonitorRow>(
    `${SELECT} WHERE monitor.team_id = $1 AND ($2::text IS NULL OR monitor.id < $2)
       AND ($3::text IS NULL OR monitor.status = $3) AND ($4::text IS NULL OR monitor.name = $4)
       AND ($5::jsonb IS NULL OR monitor.metadata @> $5)
     ORDER BY monitor.id DESC LIMIT $6`,
    [teamId, before ?? null, page.status ?? null, page.name ?? null, orNull(page.metadata ?? null), page.limit + 1],
  );
  return toPage(rows.map(toSearchMonitor), page.limit, ({ id }) => [id]);
}

/** Writes a monitor as it shall be now, and the job of its next moment where that has changed. The caller holds its lock. */
export async function writeSearchMonitor(tx: Transaction, monitor: SearchMonitor, now: Date): Promise<SearchMonitor> {
  const before = await findSearchMonitor(tx, monitor.id);
  await tx.query(
    `UPDATE search_monitors SET name = $2, status = $3, search = $4, trigger = $5, output_schema = $6, metadata = $7,
       next_run_at = $8, authentication_failures = $9, updated_at = $10 WHERE id = $1`,
    [
      monitor.id,
      monitor.name,
      monitor.status,
      toJsonb(monitor.search),
      orNull(monitor.trigger),
      orNull(monitor.outputSchema),
      orNull(monitor.metadata),
      monitor.nextRunAt,
      monitor.authenticationFailures,
      now,
    ],
  );
  const written = await getSearchMonitor(tx, monitor.teamId, monitor.id);
  if (written.nextRunAt?.getTime() !== before?.nextRunAt?.getTime()) await enqueueMoment(tx, written);
  return written;
}

/** Takes one away with its runs; its webhook is the caller's to retire. */
export async function deleteSearchMonitor(tx: Transaction, id: string): Promise<void> {
  await tx.query("DELETE FROM search_monitors WHERE id = $1", [id]);
}

/** A job for the moment the monitor waits for; one of an earlier plan finds that it is not that, and ends. */
async function enqueueMoment(tx: Transaction, monitor: SearchMonitor): Promise<void> {
  if (monitor.nextRunAt === null) return;
  await enqueueJob(tx, {
    kind: SEARCH_MONITOR_SLOT_JOB,
    teamId: monitor.teamId,
    payload: { monitorId: monitor.id, at: monitor.nextRunAt.toISOString() },
    runAt: monitor.nextRunAt,
    maxAttempts: MOMENT_ATTEMPTS,
  });
}

const SELECT = `SELECT monitor.*, hook.url AS webhook_url, hook.events AS webhook_events
  FROM search_monitors AS monitor LEFT JOIN webhooks AS hook ON hook.id = monitor.webhook_id`;

function orNull(value: Json): string | null {
  return value === null ? null : toJsonb(value);
}
