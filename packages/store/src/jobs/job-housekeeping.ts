import type { AppError } from "@quarry/base";
import type { Database } from "../database.ts";
import { deleteFinishedJobs, type FinishedState } from "./delete-finished-jobs.ts";
import { keepDoing } from "./keep-doing.ts";
import { requeueLostJobs, type LostJob } from "./settle-job.ts";
import { makeWakeUp } from "./wake-up.ts";

/** What every runner does for the queue as a whole. */
export interface HousekeepingOptions {
  readonly database: Database;
  readonly everyMs: number;
  readonly keepFinishedMs: Readonly<Partial<Record<FinishedState, number>>>;
  readonly signal: AbortSignal;
  readonly onLost: (jobs: readonly LostJob[]) => void;
  readonly onFailure: (error: AppError) => void;
}

const DAY_MS = 86_400_000;
const KEEP_FINISHED_MS: Readonly<Record<FinishedState, number>> = {
  completed: DAY_MS,
  dead: 30 * DAY_MS,
  canceled: 30 * DAY_MS,
};
const CLEAN_EVERY_MS = 60_000;

/**
 * Until `signal` aborts: takes jobs from dead workers, looks after keys whose next job
 * was called off, and forgets old jobs. Any number of runners may do so at once.
 */
export function startHousekeeping(options: HousekeepingOptions): Promise<void> {
  const { database } = options;
  let cleanedAtMs: number | undefined;
  const keepHouse = async (): Promise<number> => {
    const lost = await requeueLostJobs(database);
    if (lost.length > 0) options.onLost(lost);
    await database.query("SELECT recheck_job_lanes($1)", [cleanedAtMs === undefined]);
    if (cleanedAtMs === undefined || performance.now() - cleanedAtMs > CLEAN_EVERY_MS) {
      for (const [state, keepMs] of Object.entries({ ...KEEP_FINISHED_MS, ...options.keepFinishedMs })) {
        await deleteFinishedJobs(database, { state: state as FinishedState, olderThanMs: keepMs });
      }
      cleanedAtMs = performance.now();
    }
    return options.everyMs;
  };
  return keepDoing(keepHouse, { bell: makeWakeUp(), signal: options.signal, onFailure: options.onFailure });
}
