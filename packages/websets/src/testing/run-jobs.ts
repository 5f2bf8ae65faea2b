import { AppError } from "@quarry/base";
import {
  claimJobs,
  completeJob,
  enqueueDueSlots,
  failJob,
  type Database,
  type JobHandler,
  type LeasedJob,
} from "@quarry/store";

/** More rounds than any test needs: jobs that enqueue each other for ever must not hang it. */
const MAX_ROUNDS = 500;

/** Runs all that is due at `now`, slots and jobs and what those leave behind, one after the other; answers how many ran. */
export async function runDueJobs(
  database: Database,
  handlers: Readonly<Record<string, JobHandler>>,
  now: Date,
): Promise<number> {
  let ran = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await enqueueDueSlots(database, { now });
    const kinds = Object.keys(handlers);
    const jobs = await claimJobs(database, { kinds, workerId: "tester", limit: 20, leaseMs: 60_000, dueAt: now });
    if (jobs.length === 0) return ran;
    for (const job of jobs) await runOne(database, handlers[job.kind], job, now);
    ran += jobs.length;
  }
  throw new Error(`jobs were still due after ${MAX_ROUNDS} rounds`);
}

async function runOne(database: Database, handler: JobHandler | undefined, job: LeasedJob, now: Date): Promise<void> {
  if (handler === undefined) throw new Error(`nobody handles ${job.kind}`);
  try {
    await handler({
      job,
      signal: new AbortController().signal,
      reportProgress: () => undefined,
      complete: async (work) => {
        await database.transaction(async (tx) => {
          await work?.(tx);
          await completeJob(tx, job.lease);
        });
        return { kind: "job-completion", jobId: job.id };
      },
    });
  } catch (error) {
    await failJob(database, job, AppError.from(error), { random: () => 0.5, now });
  }
}
