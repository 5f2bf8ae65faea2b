import { AppError } from "@quarry/base";
import type { Database } from "../database.ts";
import { extendLeases } from "./extend-leases.ts";
import type { RunningJob } from "./run-job.ts";
import { makeWakeUp } from "./wake-up.ts";

/** What keeping leases needs. */
export interface LeaseKeeperOptions {
  readonly database: Database;
  /** By job id; the runner adds and removes. */
  readonly running: ReadonlyMap<string, RunningJob>;
  readonly leaseMs: number;
  readonly onFailure: (error: AppError) => void;
}

const BEATS_PER_LEASE = 3;
const CHECKS_PER_LEASE = 10;
const PROGRESS_DELAY_MS = 200;

/**
 * Sends one heartbeat for all running jobs, three times per lease, with the progress
 * they reported. Aborts jobs that were canceled or taken away, and those whose lease
 * may have run out because the database could not be reached.
 */
export function startLeaseKeeper(options: LeaseKeeperOptions): {
  /** Sends the next heartbeat now. */
  readonly beatNow: () => void;
  /** Sends the next heartbeat within a fraction of a second. */
  readonly beatSoon: () => void;
  readonly stop: () => Promise<void>;
} {
  const { running, leaseMs } = options;
  const stopping = new AbortController();
  const bell = makeWakeUp();
  let soon: NodeJS.Timeout | undefined;

  const beatUntilStopped = async (): Promise<void> => {
    for (;;) {
      await bell.wait(leaseMs / BEATS_PER_LEASE, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        await beat(options);
      } catch (error) {
        options.onFailure(AppError.from(error));
      }
    }
  };
  const beating = beatUntilStopped();
  const check = setInterval(() => {
    const now = performance.now();
    for (const job of running.values()) if (job.leaseEndsAtMs <= now && !job.isCompleted) job.stop.abort(lost());
  }, leaseMs / CHECKS_PER_LEASE);

  return {
    beatNow: bell.ring,
    beatSoon: () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        bell.ring();
      }, PROGRESS_DELAY_MS);
    },
    stop: async () => {
      stopping.abort();
      clearInterval(check);
      clearTimeout(soon);
      await beating;
    },
  };
}

/** The reason a canceled job's signal carries. */
export function canceled(): AppError {
  return new AppError("canceled", "the job was canceled");
}

/** The reason the signal of a job carries that someone else may have now. */
export function lost(): AppError {
  return new AppError("conflict", "the job was taken from this worker, whose lease ran out");
}

async function beat({ database, running, leaseMs }: LeaseKeeperOptions): Promise<void> {
  const jobs = [...running.values()].filter(({ isCompleted }) => !isCompleted);
  if (jobs.length === 0) return;
  const startedAtMs = performance.now();
  const sent = new Map(jobs.map((running) => [running.job.id, { running, progress: running.unsavedProgress }]));
  const statuses = await extendLeases(
    database,
    jobs.map(({ job, unsavedProgress }) => ({ lease: job.lease, progress: unsavedProgress })),
    leaseMs,
  );
  for (const status of statuses) {
    const entry = sent.get(status.jobId);
    if (entry === undefined || entry.running.isCompleted) continue;
    if (status.isExtended) {
      entry.running.leaseEndsAtMs = startedAtMs + leaseMs;
      if (entry.running.unsavedProgress === entry.progress) entry.running.unsavedProgress = undefined;
    }
    if (!status.isHeld) entry.running.stop.abort(lost());
    else if (status.isCancelRequested) entry.running.stop.abort(canceled());
  }
}
