import { AppError, makeId } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";

/** What a new job is made of. */
export interface NewJob {
  /** Names the handler. */
  readonly kind: string;
  readonly teamId?: string | undefined;
  /** Up to 1 MB; big things belong into a row or a blob of their own. */
  readonly payload: Json;
  /** Jobs that share a key, of whatever kind, run at most `maxPerKey` at once. All of them name the same limit. */
  readonly key?: string | undefined;
  readonly maxPerKey?: number | undefined;
  /** Higher runs first; 0 unless told. */
  readonly priority?: number | undefined;
  /** Not before this time. */
  readonly runAt?: Date | undefined;
  /** Tries before the job is dead; 5 unless told. */
  readonly maxAttempts?: number | undefined;
  /**
   * Joins a job of this kind, team and key that has not started yet, instead of adding
   * another. That job starts after this transaction has ended, so it sees what it wrote.
   */
  readonly dedupeKey?: string | undefined;
}

/** What became of one NewJob: its own row, or the waiting one it joined. */
export interface EnqueuedJob {
  readonly id: string;
  readonly isNew: boolean;
}

export const DEFAULT_MAX_ATTEMPTS = 5;
const MAX_PAYLOAD_CHARACTERS = 1_000_000;
const MAX_NAME_CHARACTERS = 500;
const JOBS_PER_STATEMENT = 500;
const MAX_JOIN_ROUNDS = 20;

/**
 * Adds a job in the caller's transaction: it exists, and wakes a worker, exactly when
 * that commits. Throws `invalid_request` for a malformed one.
 */
export async function enqueueJob(tx: Queryable, job: NewJob): Promise<EnqueuedJob> {
  const [enqueued] = await enqueueJobs(tx, [job]);
  if (enqueued === undefined) throw new AppError("internal", "a job was enqueued and nothing came back");
  return enqueued;
}

/**
 * Adds many jobs, in order; the result has one entry for each, in the same order. They
 * go in statements of some hundreds, so that the event loop is never held for long:
 * give a transaction, or a malformed one may leave those before it behind.
 */
export async function enqueueJobs(tx: Queryable, jobs: readonly NewJob[]): Promise<readonly EnqueuedJob[]> {
  const enqueued: EnqueuedJob[] = [];
  for (let start = 0; start < jobs.length; start += JOBS_PER_STATEMENT) {
    enqueued.push(...(await addOrJoin(tx, jobs.slice(start, start + JOBS_PER_STATEMENT).map(toInput))));
  }
  return enqueued;
}

/** A NewJob as the statement reads it, checked. */
interface JobInput extends Record<string, Json> {
  readonly id: string;
  readonly kind: string;
  readonly team_id: string | null;
  readonly payload: Json;
  readonly priority: number;
  readonly run_at: string | null;
  readonly concurrency_key: string | null;
  readonly max_per_key: number | null;
  readonly dedupe_key: string | null;
  readonly max_attempts: number;
}

function toInput(job: NewJob): JobInput {
  requireName("kind", job.kind);
  if (job.key !== undefined) requireName("key", job.key);
  if (job.dedupeKey !== undefined) requireName("dedupeKey", job.dedupeKey);
  if ((job.key === undefined) !== (job.maxPerKey === undefined)) {
    throw invalid("maxPerKey", "give key and maxPerKey together, or neither");
  }
  if (job.maxPerKey !== undefined) requireInteger("maxPerKey", job.maxPerKey, 1);
  if (job.priority !== undefined) requireInteger("priority", job.priority, -MAX_PRIORITY);
  if (job.maxAttempts !== undefined) requireInteger("maxAttempts", job.maxAttempts, 1);
  if (job.runAt !== undefined && Number.isNaN(job.runAt.getTime())) throw invalid("runAt", "expected a valid date");
  requirePayload(job.payload);
  return {
    id: makeId("job"),
    kind: job.kind,
    team_id: job.teamId ?? null,
    payload: job.payload,
    priority: job.priority ?? 0,
    run_at: job.runAt?.toISOString() ?? null,
    concurrency_key: job.key ?? null,
    max_per_key: job.maxPerKey ?? null,
    dedupe_key: job.dedupeKey ?? null,
    max_attempts: job.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
  };
}

const MAX_PRIORITY = 1_000_000_000;

function requireName(field: string, name: string): void {
  if (name === "" || name.length > MAX_NAME_CHARACTERS) {
    throw invalid(field, `expected 1 to ${MAX_NAME_CHARACTERS} characters`);
  }
}

function requireInteger(field: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least || value > MAX_PRIORITY) {
    throw invalid(field, `expected an integer from ${least} to ${MAX_PRIORITY}`);
  }
}

/** Throws `invalid_request` for a payload that is too big. */
export function requirePayload(payload: Json): void {
  if (toJsonb(payload).length > MAX_PAYLOAD_CHARACTERS) {
    throw invalid("payload", `at most ${MAX_PAYLOAD_CHARACTERS} characters of JSON; keep the rest in a row or a blob`);
  }
}

function invalid(field: string, expected: string): AppError {
  return new AppError("invalid_request", `job ${field}: ${expected}`, { details: { field } });
}

const DEDUPE_TARGET = `(kind, coalesce(team_id, ''), dedupe_key)
  WHERE dedupe_key IS NOT NULL AND started_at IS NULL AND state IN ('scheduled', 'queued', 'blocked')`;

async function addOrJoin(tx: Queryable, inputs: readonly JobInput[]): Promise<readonly EnqueuedJob[]> {
  const enqueued = new Map<string, EnqueuedJob>();
  let open = inputs;
  for (let round = 0; open.length > 0; round += 1) {
    if (round === MAX_JOIN_ROUNDS) {
      throw new AppError("conflict", "the jobs to join kept starting; try again", { retryable: true });
    }
    for (const { id } of await addJobs(tx, open)) enqueued.set(id, { id, isNew: true });
    open = open.filter(({ id }) => !enqueued.has(id));
    if (open.length === 0) break;
    for (const { input_id, id } of await joinJobs(tx, open)) enqueued.set(input_id, { id, isNew: false });
    open = open.filter(({ id }) => !enqueued.has(id)); // what started between the two statements is added anew
  }
  return inputs.flatMap(({ id }) => enqueued.get(id) ?? []);
}

function addJobs(tx: Queryable, inputs: readonly JobInput[]): Promise<readonly { id: string }[]> {
  return tx.query<{ id: string }>(
    `WITH added AS (
       INSERT INTO jobs (id, kind, team_id, payload, state, priority, run_at, concurrency_key, max_per_key,
         dedupe_key, max_attempts)
       SELECT id, kind, team_id, coalesce(payload, 'null'), CASE WHEN run_at IS NULL THEN 'queued' ELSE 'scheduled' END,
         priority, coalesce(run_at, now()), concurrency_key, max_per_key, dedupe_key, max_attempts
       FROM ROWS FROM (jsonb_to_recordset($1) AS (id text, kind text, team_id text, payload jsonb, priority int,
         run_at timestamptz, concurrency_key text, max_per_key int, dedupe_key text, max_attempts int))
         WITH ORDINALITY ORDER BY ordinality
       ON CONFLICT ${DEDUPE_TARGET} DO NOTHING
       RETURNING id, kind
     )
     SELECT id, (SELECT wake_job_runners(array_agg(kind)) FROM added) FROM added`,
    [toJsonb(inputs)],
  );
}

/**
 * The shared row lock keeps a claim (which skips locked rows) from starting the job
 * before this transaction ends; then the wake-up sent here arrives.
 */
function joinJobs(tx: Queryable, inputs: readonly JobInput[]): Promise<readonly { input_id: string; id: string }[]> {
  return tx.query<{ input_id: string; id: string }>(
    `WITH input AS (
       SELECT * FROM jsonb_to_recordset($1) AS (id text, kind text, team_id text, dedupe_key text)
     ), joined AS (
       SELECT input.id AS input_id, jobs.id, jobs.kind FROM input JOIN jobs
         ON jobs.kind = input.kind AND coalesce(jobs.team_id, '') = coalesce(input.team_id, '')
         AND jobs.dedupe_key = input.dedupe_key AND jobs.started_at IS NULL
         AND jobs.state IN ('scheduled', 'queued', 'blocked')
       FOR SHARE OF jobs
     )
     SELECT input_id, id, (SELECT wake_job_runners(array_agg(kind)) FROM joined) FROM joined`,
    [toJsonb(inputs.map(({ id, kind, team_id, dedupe_key }) => ({ id, kind, team_id, dedupe_key })))],
  );
}
