import { setJobSchedule, startDueRounds, type Database, type JobHandler } from "@quarry/store";

/** The kind of the job that looks for pages whose turn has come again. */
export const RECRAWL_JOB = "recrawl";

/** How often it looks; pages are at least a tenth of an hour apart. */
const LOOK_EVERY = "*/5 * * * *";

/** Does the jobs of kind `recrawl`: begins a round for every crawl that has pages due. */
export function createRecrawlJobHandler(deps: { readonly database: Database; readonly now: () => Date }): JobHandler {
  return async (run) => {
    await startDueRounds(deps.database, deps.now());
    return run.complete();
  };
}

/** Makes the schedule of that job; done at every start, it changes nothing that is there. */
export async function scheduleRecrawls(database: Database): Promise<void> {
  await database.transaction((tx) =>
    setJobSchedule(tx, {
      name: RECRAWL_JOB,
      kind: RECRAWL_JOB,
      payload: {},
      pattern: LOOK_EVERY,
      timeZone: "UTC",
      key: RECRAWL_JOB,
      maxPerKey: 1,
    }),
  );
}
