import { enqueueJobs, type NewJob, type OpenCell, type Transaction, type Webset } from "@quarry/store";

/** The kind of the jobs that plan a search and collect its candidates; the payload is `{searchId}`. */
export const WEBSET_SEARCH_JOB = "webset-search";
/** The kind of the jobs that judge one candidate by one criterion; the payload is `{searchId, candidateId, criterion}`. */
export const WEBSET_VERDICT_JOB = "webset-verdict";
/** The kind of the jobs that fill one cell; the payload is `{itemId, enrichmentId, round}`. */
export const WEBSET_CELL_JOB = "webset-cell";
/** The kind of the jobs that bring a source's entities into a webset; the payload is `{websetId, source, id, after}`. */
export const WEBSET_IMPORT_JOB = "webset-import";

/** Units of one webset that run at once: enough to keep the index busy, too few to starve other work of the team. */
const UNITS_AT_ONCE = 6;

/** A worker that dies under a unit is no fault of the unit: it may lose many. What fails by itself is given up sooner. */
const UNIT_ATTEMPTS = 1_000;

/** What all jobs of a webset share. */
export function jobKeyOf(websetId: string): string {
  return `webset:${websetId}`;
}

/** Between one priority and the next there is room for that of a unit within its webset. */
const PRIORITIES: Readonly<Record<Webset["priority"], number>> = { low: -20, medium: 0, high: 20 };

type Owner = Pick<Webset, "id" | "teamId" | "priority">;

function unit(owner: Owner, job: Pick<NewJob, "kind" | "payload" | "dedupeKey" | "runAt" | "priority">): NewJob {
  return {
    ...job,
    teamId: owner.teamId,
    priority: PRIORITIES[owner.priority] + (job.priority ?? 0),
    key: jobKeyOf(owner.id),
    maxPerKey: UNITS_AT_ONCE,
    maxAttempts: UNIT_ATTEMPTS,
  };
}

/** Adds the job that takes a search one step further. */
export async function enqueueSearch(tx: Transaction, owner: Owner, searchId: string, runAt?: Date): Promise<void> {
  const job = unit(owner, { kind: WEBSET_SEARCH_JOB, payload: { searchId }, dedupeKey: searchId, runAt });
  await enqueueJobs(tx, [job]);
}

/** Adds the jobs that judge candidates, each by the criterion given by its place. */
export async function enqueueVerdicts(
  tx: Transaction,
  owner: Owner,
  searchId: string,
  verdicts: readonly { readonly candidateId: number; readonly criterion: number }[],
): Promise<void> {
  await enqueueJobs(
    tx,
    verdicts.map(({ candidateId, criterion }) =>
      unit(owner, {
        kind: WEBSET_VERDICT_JOB,
        payload: { searchId, candidateId, criterion },
        dedupeKey: `${candidateId}:${criterion}`,
        // What is nearly decided goes first, so that items appear early.
        priority: criterion,
      }),
    ),
  );
}

/** Adds the jobs that fill cells. */
export async function enqueueCells(tx: Transaction, owner: Owner, cells: readonly OpenCell[]): Promise<void> {
  await enqueueJobs(
    tx,
    cells.map(({ itemId, enrichmentId, round }) =>
      unit(owner, {
        kind: WEBSET_CELL_JOB,
        payload: { itemId, enrichmentId, round },
        dedupeKey: `${itemId}:${enrichmentId}:${round}`,
      }),
    ),
  );
}

/** Adds the job that brings in a source's entities after a place. */
export async function enqueueImport(
  tx: Transaction,
  owner: Owner,
  source: { readonly source: "import" | "webset"; readonly id: string; readonly after: string | null },
  runAt?: Date,
): Promise<void> {
  const payload = { websetId: owner.id, source: source.source, id: source.id, after: source.after };
  const dedupeKey = `${owner.id}:${source.source}:${source.id}`;
  await enqueueJobs(tx, [unit(owner, { kind: WEBSET_IMPORT_JOB, payload, dedupeKey, runAt })]);
}
