import type { Database } from "../database.ts";
import { claimJobs } from "./claim-jobs.ts";
import type { LeasedJob } from "./job.ts";

/** Claims all that can be claimed of one kind, or of several, with a lease of a minute. */
export function claimAll(db: Database, ...kinds: readonly string[]): Promise<readonly LeasedJob[]> {
  return claimJobs(db, { kinds, workerId: "tester", limit: 500, leaseMs: 60_000 });
}

/** Lets every lease run out. */
export async function expireLeases(db: Database): Promise<void> {
  await db.query("UPDATE jobs SET lease_expires_at = now() - interval '1 second' WHERE state = 'running'");
}

/** The first of a list that a test knows not to be empty. */
export function first<T>(list: readonly T[]): T {
  const [found] = list;
  if (found === undefined) throw new Error("the list is empty");
  return found;
}
