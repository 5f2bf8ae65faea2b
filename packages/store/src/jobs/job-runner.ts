import { AppError, makeId, sleep, type Clock } from "@quarry/base";
import type { Database } from "../database.ts";
import { claimJobs, MAX_JOBS_PER_CLAIM, msUntilNextJob } from "./claim-jobs.ts";
import { startHousekeeping } from "./job-housekeeping.ts";
import type { FinishedState } from "./delete-finished-jobs.ts";
import type { JobHandler } from "./job-handler.ts";
import { enqueueDueSlots } from "./job-schedules.ts";
import type { Job, LeasedJob } from "./job.ts";
import { keepDoing } from "./keep-doing.ts";
import { canceled, lost, startLeaseKeeper } from "./lease-keeper.ts";
import { runJob, type JobOutcome, type RunningJob } from "./run-job.ts";
import { handBackJobs, type LostJob } from "./settle-job.ts";
import { makeWakeUp } from "./wake-up.ts";

/** How to run jobs. */
export interface JobRunnerOptions {
  readonly database: Database;
  /** By kind. Jobs of other kinds are left to other runners. */
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** Most jobs at once; 10 unless told. */
  readonly concurrency?: number;
  /** Shown in the rows; made up unless told. */
  readonly workerId?: string;
  /** How long a silent worker keeps its jobs; 15 s unless told. */
  readonly leaseMs?: number;
  /** How often to look without being woken; 10 s unless told. */
  readonly pollMs?: number;
  /** How long finished jobs are kept; unless told a day, dead and canceled ones 30 days. */
  readonly keepFinishedMs?: Readonly<Partial<Record<FinishedState, number>>>;
  /** What "due" is measured by, for tests; the database's time unless given. Leases always go by that. */
  readonly clock?: Clock;
  /** From 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
  /** Must not throw. */
  readonly onEvent?: (event: JobRunnerEvent) => void;
}

/** What a runner has to tell. */
export type JobRunnerEvent =
  | { readonly kind: "job-ended"; readonly job: Job; readonly outcome: JobOutcome; readonly durationMs: number }
  | { readonly kind: "jobs-lost"; readonly jobs: readonly LostJob[] }
  | { readonly kind: "step-failed"; readonly step: JobRunnerStep; readonly error: AppError };

/** What a runner does besides running jobs. */
export type JobRunnerStep = "claim" | "heartbeat" | "schedules" | "housekeeping" | "hand-back";

/** A runner at work. */
export interface JobRunner {
  readonly workerId: string;
  /**
   * Takes no more jobs, waits for the running ones, and hands back those that are not
   * done after `deadlineMs` (8 s unless told), as if never begun. Never rejects.
   */
  readonly stop: (options?: { readonly deadlineMs?: number }) => Promise<{ readonly handedBack: readonly string[] }>;
}

const DEFAULT_CONCURRENCY = 10;
const DEFAULT_LEASE_MS = 15_000;
const DEFAULT_POLL_MS = 10_000;
const DEFAULT_STOP_DEADLINE_MS = 8_000;
const LOCKED_RETRY_MS = 100;
/** How long handlers get to unwind after their jobs were handed back. */
const UNWIND_MS = 250;
const CHANNEL = "quarry_jobs";

/** Runs jobs until stopped. Woken by the database; looks by itself only at known times and, rarely, to be safe. */
export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  const { database, clock } = options;
  const handlers = new Map(Object.entries(options.handlers));
  const workerId = options.workerId ?? makeId("worker");
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  const leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
  const pollMs = options.pollMs ?? DEFAULT_POLL_MS;
  const tell = options.onEvent ?? (() => undefined);
  const running = new Map<string, RunningJob>();
  const runs = new Set<Promise<void>>();
  const stopping = new AbortController();
  const claimBell = makeWakeUp();
  const scheduleBell = makeWakeUp();

  const failed = (step: JobRunnerStep) => (error: AppError) => tell({ kind: "step-failed", step, error });
  const keeper = startLeaseKeeper({ database, running, leaseMs, onFailure: failed("heartbeat") });

  const start = (job: LeasedJob, claimedAtMs: number): void => {
    const handler = handlers.get(job.kind);
    if (handler === undefined) return; // only kinds with a handler are claimed
    const entry: RunningJob = {
      job,
      stop: new AbortController(),
      leaseEndsAtMs: claimedAtMs + leaseMs,
      unsavedProgress: undefined,
      isCompleted: false,
    };
    running.get(job.id)?.stop.abort(lost()); // an earlier try here, that has not noticed yet
    running.set(job.id, entry);
    const startedAtMs = performance.now();
    const deps = {
      database,
      handler,
      onProgress: keeper.beatSoon,
      random: options.random ?? Math.random,
      now: () => clock?.now(),
    };
    const run = runJob(deps, entry).then((outcome) => {
      if (running.get(job.id) === entry) running.delete(job.id);
      runs.delete(run);
      claimBell.ring();
      tell({ kind: "job-ended", job, outcome, durationMs: performance.now() - startedAtMs });
    });
    runs.add(run);
  };

  /** Claims what there is room for; returns how long to wait before looking again. */
  const claim = async (): Promise<number> => {
    const room = Math.min(concurrency - runs.size, MAX_JOBS_PER_CLAIM);
    if (room <= 0) return pollMs;
    const claimedAtMs = performance.now();
    const jobs = await claimJobs(database, {
      kinds: [...handlers.keys()],
      workerId,
      limit: room,
      leaseMs,
      dueAt: clock?.now(),
    });
    if (stopping.signal.aborted) {
      await handBackJobs(
        database,
        jobs.map(({ lease }) => lease),
      );
      return 0;
    }
    for (const job of jobs) start(job, claimedAtMs);
    if (jobs.length === room) return runs.size < concurrency ? 0 : pollMs;
    const waitMs = await msUntilNextJob(database, clock?.now());
    // One that is due and was not claimed is locked for a moment; its release wakes us, this is for safety.
    return Math.min(pollMs, waitMs === 0 ? LOCKED_RETRY_MS : (waitMs ?? pollMs) + 1);
  };

  const enqueueSlots = async (): Promise<number> => {
    const waitMs = await enqueueDueSlots(database, { now: clock?.now() });
    return Math.min(pollMs, waitMs === 0 ? LOCKED_RETRY_MS : (waitMs ?? pollMs) + 1);
  };

  const hear = (message: string): void => {
    const [, verb, subject] = /^(wake|cancel):(.*)$/s.exec(message) ?? [];
    if (verb === "cancel") running.get(subject ?? "")?.stop.abort(canceled());
    if (message === "" || (verb === "wake" && handlers.has(subject ?? ""))) claimBell.ring();
    if (message === "" || message === "schedules") scheduleBell.ring();
    if (message === "") keeper.beatNow(); // a cancel may have been missed
  };

  let listening: { close: () => Promise<void> };
  try {
    listening = await database.listen(CHANNEL, hear);
  } catch (error) {
    await keeper.stop();
    throw error;
  }
  const { signal } = stopping;
  const loops = Promise.all([
    keepDoing(claim, { bell: claimBell, signal, onFailure: failed("claim") }),
    keepDoing(enqueueSlots, { bell: scheduleBell, signal, onFailure: failed("schedules") }),
    startHousekeeping({
      database,
      everyMs: leaseMs / 3,
      keepFinishedMs: options.keepFinishedMs ?? {},
      signal,
      onLost: (jobs) => tell({ kind: "jobs-lost", jobs }),
      onFailure: failed("housekeeping"),
    }),
  ]);

  const stop = async (deadlineMs: number): Promise<{ readonly handedBack: readonly string[] }> => {
    const deadline = AbortSignal.timeout(deadlineMs);
    stopping.abort();
    await endedOr(loops, deadline); // a claim under way hands back what it gets
    await endedOr(Promise.all(runs), deadline);
    const handedBack = await handBackRest();
    await endedOr(Promise.all(runs), AbortSignal.timeout(UNWIND_MS));
    await keeper.stop();
    await listening.close();
    return { handedBack };
  };

  /** Also tells other runners to look: keys may have room for them now. */
  const handBackRest = async (): Promise<readonly string[]> => {
    const left = [...running.values()].filter(({ isCompleted }) => !isCompleted);
    try {
      const leases = left.map(({ job }) => job.lease);
      const handedBack = await handBackJobs(database, leases);
      await database.query("SELECT wake_job_runners($1)", [[...handlers.keys()]]);
      return handedBack;
    } catch (error) {
      failed("hand-back")(AppError.from(error)); // their leases run out instead
      return [];
    } finally {
      const reason = new AppError("unavailable", "the worker stops: the job was handed back", { retryable: true });
      for (const { stop } of left) stop.abort(reason);
    }
  };

  let stopped: ReturnType<typeof stop> | undefined;
  return { workerId, stop: ({ deadlineMs = DEFAULT_STOP_DEADLINE_MS } = {}) => (stopped ??= stop(deadlineMs)) };
}

async function endedOr(work: Promise<unknown>, deadline: AbortSignal): Promise<void> {
  const done = new AbortController();
  const waiting = sleep(MAX_WAIT_MS, AbortSignal.any([deadline, done.signal])).catch(() => undefined); // aborted: over
  await Promise.race([work, waiting]);
  done.abort();
}

const MAX_WAIT_MS = 2 ** 31 - 1;
