import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { appendEvent } from "../events.ts";
import { cancelJob } from "../jobs/cancel-jobs.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { moveCrawl, type CrawlMove } from "./crawl-state.ts";
import { CRAWL_COLUMNS, toCrawl, type Crawl, type CrawlRequest, type CrawlRow } from "./crawl.ts";
import { queuePages } from "./crawl-frontier.ts";

/** The kind of the jobs that work on crawls; the payload is `{crawlId}`. */
export const CRAWL_JOB = "crawl";

/** A worker that dies under a crawl is no fault of the crawl: it may lose many. */
const CRAWL_ATTEMPTS = 1_000;

/** Above what any page found on the way gets. */
const SEED_PRIORITY = 2_000;

/** Begins a crawl: its row, its first pages and its job in one transaction. The same id again changes nothing. */
export function createCrawl(
  db: Database,
  crawl: {
    readonly id: string;
    readonly teamId: string;
    readonly request: CrawlRequest;
    readonly seeds: readonly string[];
  },
  now: Date,
): Promise<Crawl> {
  return db.transaction(async (tx) => {
    const [made] = await tx.query<{ id: string }>(
      `INSERT INTO crawls (id, team_id, status, request, created_at) VALUES ($1, $2, 'queued', $3, $4)
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [crawl.id, crawl.teamId, JSON.stringify(crawl.request), now],
    );
    if (made !== undefined) {
      await queuePages(
        tx,
        crawl.id,
        crawl.seeds.map((url) => ({ url, depth: 0, foundOn: null, priority: SEED_PRIORITY })),
        now,
      );
      await enqueueCrawl(tx, crawl.id, crawl.teamId);
      await tellCrawl(tx, await requireCrawl(tx, crawl.id), "crawl.created", now);
    }
    return getCrawl(tx, crawl.teamId, crawl.id);
  });
}

/** One crawl of the team; throws `not_found`, also for another team's. */
export async function getCrawl(db: Queryable, teamId: string, id: string): Promise<Crawl> {
  const crawl = await findCrawl(db, id);
  if (crawl?.teamId !== teamId) throw new AppError("not_found", "there is no crawl with this id");
  return crawl;
}

/** A crawl by id alone, for the job that works on it. */
export async function findCrawl(db: Queryable, id: string): Promise<Crawl | undefined> {
  const [row] = await db.query<CrawlRow>(`SELECT ${CRAWL_COLUMNS} FROM crawls WHERE id = $1`, [id]);
  return row === undefined ? undefined : toCrawl(row);
}

/** The team's crawls, newest first. */
export async function listCrawls(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<Crawl>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<CrawlRow>(
    `SELECT ${CRAWL_COLUMNS} FROM crawls WHERE team_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toCrawl), page.limit, ({ id }) => [id]);
}

/** Pauses, resumes or cancels a crawl on someone's word. A move that it has made already changes nothing; one it cannot make is `conflict`. */
export function steerCrawl(
  db: Database,
  teamId: string,
  steer: { readonly id: string; readonly move: "pause" | "resume" | "cancel"; readonly now: Date },
): Promise<Crawl> {
  const { id, move, now } = steer;
  return db.transaction(async (tx) => {
    await getCrawl(tx, teamId, id);
    const crawl = await requireCrawl(tx, id);
    const goal = { pause: "paused", resume: "queued", cancel: "canceled" } as const;
    if (crawl.status === goal[move] || (move === "resume" && crawl.status === "running")) return crawl;
    const moved = await applyMove(tx, crawl, move, { now });
    if (moved === undefined) {
      throw new AppError("conflict", `the crawl is ${crawl.status}: it cannot ${move} any more`);
    }
    if (crawl.jobId !== null && move !== "resume") await cancelJob(tx, crawl.jobId);
    if (move === "resume") await enqueueCrawl(tx, id, teamId);
    await tellCrawl(tx, moved, `crawl.${moved.status === "queued" ? "resumed" : moved.status}`, now);
    return getCrawl(tx, teamId, id);
  });
}

/** Moves a crawl in its job's transaction; undefined when its status no longer allows it. Locks the row. */
export async function moveCrawlBy(
  tx: Transaction,
  id: string,
  change: {
    readonly move: Exclude<CrawlMove, "pause" | "resume" | "revisit">;
    readonly reason?: string;
    readonly now: Date;
  },
): Promise<Crawl | undefined> {
  const crawl = await requireCrawl(tx, id);
  const moved = await applyMove(tx, crawl, change.move, change);
  if (moved !== undefined && moved.status !== crawl.status) {
    await tellCrawl(tx, moved, `crawl.${moved.status === "running" ? "started" : moved.status}`, change.now);
  }
  return moved;
}

async function applyMove(
  tx: Transaction,
  crawl: Crawl,
  move: CrawlMove,
  change: { readonly reason?: string; readonly now: Date },
): Promise<Crawl | undefined> {
  const status = moveCrawl(crawl.status, move);
  if (status === undefined) return undefined;
  const isOver = status === "completed" || status === "canceled" || status === "failed";
  const [row] = await tx.query<CrawlRow>(
    `UPDATE crawls SET status = $2, reason = coalesce($3, reason),
       started_at = CASE WHEN $2 = 'running' THEN coalesce(started_at, $4) ELSE started_at END,
       finished_at = CASE WHEN $5 THEN $4 ELSE NULL END
     WHERE id = $1 RETURNING ${CRAWL_COLUMNS}`,
    [crawl.id, status, change.reason ?? null, change.now, isOver],
  );
  return row === undefined ? undefined : toCrawl(row);
}

/** A crawl for change: its row is locked until the transaction ends. */
export async function requireCrawl(tx: Transaction, id: string): Promise<Crawl> {
  const [row] = await tx.query<CrawlRow>(`SELECT ${CRAWL_COLUMNS} FROM crawls WHERE id = $1 FOR UPDATE`, [id]);
  if (row === undefined) throw new AppError("not_found", "there is no crawl with this id");
  return toCrawl(row);
}

/** Queues the job that works on a crawl. */
export async function enqueueCrawl(tx: Transaction, id: string, teamId: string): Promise<void> {
  const job = await enqueueJob(tx, {
    kind: CRAWL_JOB,
    teamId,
    payload: { crawlId: id },
    key: `crawl:${id}`,
    maxPerKey: 1,
    maxAttempts: CRAWL_ATTEMPTS,
  });
  await tx.query("UPDATE crawls SET job_id = $2 WHERE id = $1", [id, job.id]);
}

/** Writes an event of a crawl. */
export async function tellCrawl(tx: Transaction, crawl: Crawl, type: string, now: Date): Promise<void> {
  const { id, teamId, status, pagesDone, pagesFailed, pagesQueued, reason } = crawl;
  const data = { id, status, pagesDone, pagesFailed, pagesQueued, reason };
  await appendEvent(tx, { teamId, type, resource: { kind: "crawl", id }, data }, now);
}
