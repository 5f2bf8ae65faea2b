import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { cancelJob } from "../jobs/cancel-jobs.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { isWorkflowFinished, moveWorkflow, type WorkflowMove } from "./workflow-state.ts";
import {
  toWorkflowTask,
  WORKFLOW_COLUMNS,
  type WorkflowFailure,
  type WorkflowRow,
  type WorkflowTask,
} from "./workflow-task.ts";

/** The kind of the jobs that work on tasks; the payload is `{taskId}`. */
export const WORKFLOW_JOB = "workflow";
/** The kind of the jobs that stop what a cancelled task set going; the payload is `{taskId}`. */
export const WORKFLOW_CLEANUP_JOB = "workflow.cleanup";

/** So many tasks of a team may be open at once. */
export const MAX_ACTIVE_WORKFLOWS = 20;
/** So many of a team are worked on at once; the others wait. */
const MAX_WORKING = 5;
/** A worker that dies under a task is no fault of the task. */
const WORKFLOW_ATTEMPTS = 1_000;
/** How long a task that has ended is kept. */
const KEPT_MS = 30 * 86_400_000;

/** Makes a task and its job. The same id again changes nothing. Throws `rate_limited` when too many of the team are open. */
export function createWorkflow(
  db: Database,
  task: Pick<WorkflowTask, "id" | "teamId" | "workflow" | "args">,
  now: Date,
): Promise<WorkflowTask> {
  return db.transaction(async (tx) => {
    const { id, teamId, workflow, args } = task;
    await tx.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`workflows ${teamId}`]);
    const [known] = await tx.query<WorkflowRow>(`SELECT ${WORKFLOW_COLUMNS} FROM workflow_tasks WHERE id = $1`, [id]);
    if (known !== undefined) return getWorkflow(tx, teamId, id);
    await tx.query("DELETE FROM workflow_tasks WHERE team_id = $1 AND expires_at < $2", [teamId, now]);
    const [open] = await tx.query<{ readonly count: number }>(
      "SELECT count(*)::int AS count FROM workflow_tasks WHERE team_id = $1 AND status IN ('pending', 'working')",
      [teamId],
    );
    if ((open?.count ?? 0) >= MAX_ACTIVE_WORKFLOWS) {
      throw new AppError(
        "rate_limited",
        `${MAX_ACTIVE_WORKFLOWS} workflows are open already, which is the most at once; wait for one to end, or cancel one`,
        { retryable: true },
      );
    }
    await tx.query(
      `INSERT INTO workflow_tasks (id, team_id, workflow, args, status, progress, created_at, updated_at)
       VALUES ($1, $2, $3, $4, 'pending', $5, $6, $6)`,
      [id, teamId, workflow, toJsonb(args), toJsonb({ step: "waiting", completed: 0, total: 1 }), now],
    );
    await queueWorkflow(tx, { id, teamId }, undefined);
    return getWorkflow(tx, teamId, id);
  });
}

/** Queues the next stretch of work on a task, now or at a time. */
export async function queueWorkflow(
  tx: Transaction,
  task: Pick<WorkflowTask, "id" | "teamId">,
  runAt: Date | undefined,
): Promise<void> {
  const job = await enqueueJob(tx, {
    kind: WORKFLOW_JOB,
    teamId: task.teamId,
    payload: { taskId: task.id },
    key: `workflows:${task.teamId}`,
    maxPerKey: MAX_WORKING,
    maxAttempts: WORKFLOW_ATTEMPTS,
    runAt,
  });
  await tx.query("UPDATE workflow_tasks SET job_id = $2 WHERE id = $1", [task.id, job.id]);
}

/** One task of the team; throws `not_found`, also for another team's. */
export async function getWorkflow(db: Queryable, teamId: string, id: string): Promise<WorkflowTask> {
  const [row] = await db.query<WorkflowRow>(`SELECT ${WORKFLOW_COLUMNS} FROM workflow_tasks WHERE id = $1`, [id]);
  if (row?.team_id !== teamId) throw new AppError("not_found", "there is no workflow task with this id");
  return toWorkflowTask(row);
}

/** A task by its id alone, for the worker; undefined when it is gone. */
export async function findWorkflow(db: Queryable, id: string): Promise<WorkflowTask | undefined> {
  const [row] = await db.query<WorkflowRow>(`SELECT ${WORKFLOW_COLUMNS} FROM workflow_tasks WHERE id = $1`, [id]);
  return row === undefined ? undefined : toWorkflowTask(row);
}

/** The team's tasks, newest first. */
export async function listWorkflows(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<WorkflowTask>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<WorkflowRow>(
    `SELECT ${WORKFLOW_COLUMNS} FROM workflow_tasks WHERE team_id = $1 AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toWorkflowTask), page.limit, ({ id }) => [id]);
}

/** Ends a task on someone's word, and queues the stop of what it set going; one that has ended stays as it is. */
export function cancelWorkflow(db: Database, teamId: string, id: string, now: Date): Promise<WorkflowTask> {
  return db.transaction(async (tx) => {
    await getWorkflow(tx, teamId, id);
    const task = await lockWorkflow(tx, id);
    if (isWorkflowFinished(task.status)) return task;
    if (task.jobId !== null) await cancelJob(tx, task.jobId);
    await enqueueJob(tx, { kind: WORKFLOW_CLEANUP_JOB, teamId, payload: { taskId: id } });
    return (await moveWorkflowBy(tx, id, { move: "cancel", now })) ?? task;
  });
}

/** Moves a task; undefined when its status no longer allows it. Locks the row. */
export async function moveWorkflowBy(
  tx: Transaction,
  id: string,
  change: { readonly move: WorkflowMove; readonly result?: Json; readonly error?: WorkflowFailure; readonly now: Date },
): Promise<WorkflowTask | undefined> {
  const task = await lockWorkflow(tx, id);
  const status = moveWorkflow(task.status, change.move);
  if (status === undefined) return undefined;
  const isEnd = isWorkflowFinished(status);
  const [row] = await tx.query<WorkflowRow>(
    `UPDATE workflow_tasks SET status = $2, result = coalesce($3, result), error = coalesce($4, error), updated_at = $5,
       finished_at = $6, expires_at = $7
     WHERE id = $1 RETURNING ${WORKFLOW_COLUMNS}`,
    [
      id,
      status,
      change.result === undefined ? null : toJsonb(change.result),
      change.error === undefined ? null : toJsonb({ ...change.error }),
      change.now,
      isEnd ? change.now : null,
      isEnd ? new Date(change.now.getTime() + KEPT_MS) : null,
    ],
  );
  return row === undefined ? undefined : toWorkflowTask(row);
}

async function lockWorkflow(tx: Transaction, id: string): Promise<WorkflowTask> {
  const [row] = await tx.query<WorkflowRow>(`SELECT ${WORKFLOW_COLUMNS} FROM workflow_tasks WHERE id = $1 FOR UPDATE`, [
    id,
  ]);
  if (row === undefined) throw new AppError("not_found", "there is no workflow task with this id");
  return toWorkflowTask(row);
}
