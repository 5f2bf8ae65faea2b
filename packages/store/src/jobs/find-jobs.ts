import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { JOB_STATES, type JobState } from "./job-state.ts";
import { JOB_COLUMNS, toJob, type Job, type JobRow } from "./job.ts";

/** Which jobs to look at; what is not given does not matter. */
export interface JobFilter {
  readonly teamId?: string | undefined;
  readonly kind?: string | undefined;
  readonly states?: readonly JobState[] | undefined;
}

/** One job; throws `not_found`, also for another team's when `teamId` is given. */
export async function getJob(db: Queryable, id: string, options: { readonly teamId?: string } = {}): Promise<Job> {
  const [row] = await db.query<JobRow>(
    `SELECT ${JOB_COLUMNS} FROM jobs WHERE id = $1 AND ($2::text IS NULL OR team_id = $2)`,
    [id, options.teamId ?? null],
  );
  if (row === undefined) throw new AppError("not_found", `there is no job ${id}`);
  return toJob(row);
}

/** The jobs that match, newest first; `cursor` is the `nextCursor` of the page before. */
export async function listJobs(
  db: Queryable,
  filter: JobFilter,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<Job>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<JobRow>(
    `SELECT ${JOB_COLUMNS} FROM jobs WHERE ${FILTER} AND ($4::text IS NULL OR id < $4) ORDER BY id DESC LIMIT $5`,
    [...filterValues(filter), before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toJob), page.limit, ({ id }) => [id]);
}

/** How many jobs that match are in each state. */
export async function countJobs(db: Queryable, filter: JobFilter = {}): Promise<Readonly<Record<JobState, number>>> {
  const rows = await db.query<{ state: JobState; count: number }>(
    `SELECT state, count(*) AS count FROM jobs WHERE ${FILTER} GROUP BY state`,
    filterValues(filter),
  );
  const counts = Object.fromEntries(JOB_STATES.map((state) => [state, 0])) as Record<JobState, number>;
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}

const FILTER = `($1::text IS NULL OR team_id = $1) AND ($2::text IS NULL OR kind = $2)
  AND ($3::text[] IS NULL OR state = ANY ($3))`;

function filterValues({ teamId, kind, states }: JobFilter): readonly unknown[] {
  return [teamId ?? null, kind ?? null, states ?? null];
}
