import { setJobSchedule, type Database, type JobHandler } from "@quarry/store";
import { runRetention, type RetentionDeps } from "./run-retention.ts";

/** The kind of the job that applies the retention policy. */
export const RETENTION_JOB = "retention";
/** Once a day, when little else is going on in most places. */
const RUNS_AT = "17 3 * * *";

/** Does the jobs of kind `retention`. */
export function createRetentionJobHandler(deps: RetentionDeps): JobHandler {
  return async (run) => {
    await runRetention(deps, run.signal);
    return run.complete();
  };
}

/** Makes the schedule of that job; done at every start, it changes nothing that is there. */
export async function scheduleRetention(database: Database): Promise<void> {
  await database.transaction((tx) =>
    setJobSchedule(tx, {
      name: RETENTION_JOB,
      kind: RETENTION_JOB,
      payload: {},
      pattern: RUNS_AT,
      timeZone: "UTC",
      key: RETENTION_JOB,
      maxPerKey: 1,
    }),
  );
}
