import { AppError } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { DEFAULT_MAX_ATTEMPTS, enqueueJobs, requirePayload, type NewJob } from "./enqueue-job.ts";
import { nextSlot, type CronTime } from "./next-slot.ts";

/** A cron job: what to enqueue at each slot. */
export interface NewJobSchedule extends CronTime, Pick<NewJob, "kind" | "teamId" | "payload" | "key" | "maxPerKey"> {
  /** The schedule's identity: setting the same name again changes it. */
  readonly name: string;
  readonly priority?: number | undefined;
  readonly maxAttempts?: number | undefined;
}

/** A schedule as its row has it. */
export interface JobSchedule extends CronTime {
  readonly name: string;
  readonly kind: string;
  readonly teamId: string | null;
  readonly payload: Json;
  /** Null when the pattern has no slot left. */
  readonly nextSlotAt: Date | null;
  readonly lastSlotAt: Date | null;
}

const SLOTS_PER_TRANSACTION = 100;

/**
 * Makes or changes a schedule in the caller's transaction. Its next slot is the first
 * after `now`, unless pattern and zone stay as they were: then a slot missed since is
 * still due, and one chosen while the clock was ahead gives way. Throws `invalid_request` for a bad pattern, zone or payload.
 */
export async function setJobSchedule(
  tx: Queryable,
  schedule: NewJobSchedule,
  options: { readonly now?: Date | undefined } = {},
): Promise<void> {
  const next = nextSlot(schedule, options.now ?? (await readTime(tx)));
  if (next === undefined) {
    throw new AppError("invalid_request", `schedule pattern: ${schedule.pattern} never comes`, {
      details: { field: "pattern" },
    });
  }
  requirePayload(schedule.payload);
  await tx.query(
    `INSERT INTO job_schedules AS old (name, kind, team_id, payload, pattern, time_zone, concurrency_key, max_per_key,
       priority, max_attempts, next_slot_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, team_id = excluded.team_id, payload = excluded.payload,
       pattern = excluded.pattern, time_zone = excluded.time_zone, concurrency_key = excluded.concurrency_key,
       max_per_key = excluded.max_per_key, priority = excluded.priority, max_attempts = excluded.max_attempts,
       next_slot_at = CASE WHEN (old.pattern, old.time_zone) = (excluded.pattern, excluded.time_zone)
         THEN least(old.next_slot_at, excluded.next_slot_at) ELSE excluded.next_slot_at END`,
    [
      schedule.name,
      schedule.kind,
      schedule.teamId ?? null,
      toJsonb(schedule.payload),
      schedule.pattern,
      schedule.timeZone,
      schedule.key ?? null,
      schedule.maxPerKey ?? null,
      schedule.priority ?? 0,
      schedule.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
      next,
    ],
  );
  await tx.query("SELECT pg_notify('quarry_jobs', 'schedules')");
}

/** Forgets a schedule; jobs it has enqueued stay. Returns whether there was one. */
export async function deleteJobSchedule(tx: Queryable, name: string): Promise<boolean> {
  const rows = await tx.query("DELETE FROM job_schedules WHERE name = $1 RETURNING 1", [name]);
  return rows.length > 0;
}

/** All schedules by name. */
export async function listJobSchedules(db: Queryable): Promise<readonly JobSchedule[]> {
  const rows = await db.query<ScheduleRow>("SELECT * FROM job_schedules ORDER BY name");
  return rows.map((row) => ({
    name: row.name,
    kind: row.kind,
    teamId: row.team_id,
    payload: row.payload,
    pattern: row.pattern,
    timeZone: row.time_zone,
    nextSlotAt: row.next_slot_at,
    lastSlotAt: row.last_slot_at,
  }));
}

/**
 * Enqueues one job for every schedule whose slot has come, and moves it to its next
 * slot after `now`: what was missed while nobody looked runs once. Each slot is
 * enqueued once, however many callers there are, and also when a clock that was set
 * back comes to it again. Returns how long to wait for the next slot; undefined when
 * there is none.
 */
export async function enqueueDueSlots(
  db: Database,
  options: { readonly now?: Date | undefined } = {},
): Promise<number | undefined> {
  for (;;) {
    const enqueued = await db.transaction((tx) => enqueueSomeDueSlots(tx, options.now));
    if (enqueued < SLOTS_PER_TRANSACTION) break;
  }
  const [row] = await db.query<{ wait_ms: number | null }>(
    `SELECT (extract(epoch FROM min(next_slot_at) - coalesce($1::timestamptz, now())) * 1000)::float8 AS wait_ms
     FROM job_schedules`,
    [options.now ?? null],
  );
  return row?.wait_ms == null ? undefined : Math.max(0, row.wait_ms);
}

async function enqueueSomeDueSlots(tx: Queryable, givenNow: Date | undefined): Promise<number> {
  const due = await tx.query<DueRow>(
    `SELECT *, coalesce($1::timestamptz, now()) AS now, EXISTS (
       SELECT FROM jobs WHERE schedule_name = job_schedules.name AND slot_at = job_schedules.next_slot_at
     ) AS has_job FROM job_schedules
     WHERE next_slot_at <= coalesce($1::timestamptz, now())
     ORDER BY next_slot_at LIMIT ${SLOTS_PER_TRANSACTION} FOR UPDATE SKIP LOCKED`,
    [givenNow ?? null],
  );
  if (due.length === 0) return 0;
  const lacking = due.filter((row) => !row.has_job);
  const jobs = await enqueueJobs(tx, lacking.map(toNewJob));
  const jobOf = new Map(lacking.map(({ name }, index) => [name, jobs[index]?.id ?? null]));
  await tx.query(
    `WITH slot AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS slot (job_id, name, next)
     ), job AS (
       UPDATE jobs SET schedule_name = schedule.name, slot_at = schedule.next_slot_at
       FROM slot JOIN job_schedules AS schedule ON schedule.name = slot.name WHERE jobs.id = slot.job_id
     )
     UPDATE job_schedules AS schedule SET last_slot_at = next_slot_at, next_slot_at = slot.next
     FROM slot WHERE schedule.name = slot.name`,
    [due.map(({ name }) => jobOf.get(name) ?? null), due.map(({ name }) => name), due.map(slotAfterNow)],
  );
  return due.length;
}

/** A zone that this machine's tables no longer know must not hold up other schedules: it rests until it is set again. */
function slotAfterNow(row: DueRow): Date | null {
  try {
    return nextSlot({ pattern: row.pattern, timeZone: row.time_zone }, row.now) ?? null;
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_request") return null;
    throw error;
  }
}

function toNewJob(row: ScheduleRow): NewJob {
  return {
    kind: row.kind,
    teamId: row.team_id ?? undefined,
    payload: row.payload,
    key: row.concurrency_key ?? undefined,
    maxPerKey: row.max_per_key ?? undefined,
    priority: row.priority,
    maxAttempts: row.max_attempts,
  };
}

interface ScheduleRow {
  readonly name: string;
  readonly kind: string;
  readonly team_id: string | null;
  readonly payload: Json;
  readonly pattern: string;
  readonly time_zone: string;
  readonly concurrency_key: string | null;
  readonly max_per_key: number | null;
  readonly priority: number;
  readonly max_attempts: number;
  readonly next_slot_at: Date | null;
  readonly last_slot_at: Date | null;
}

interface DueRow extends ScheduleRow {
  readonly now: Date;
  /** The slot was enqueued before. */
  readonly has_job: boolean;
}

async function readTime(tx: Queryable): Promise<Date> {
  const [row] = await tx.query<{ now: Date }>("SELECT now() AS now");
  if (row === undefined) throw new AppError("internal", "the database has no time");
  return row.now;
}
