import { AppError } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import type { WorkflowMade, WorkflowProgress, WorkflowStep } from "./workflow-task.ts";

/** The steps a task has done, in order. */
export async function listWorkflowSteps(db: Queryable, taskId: string): Promise<readonly WorkflowStep[]> {
  const rows = await db.query<{
    readonly name: string;
    readonly result: Json;
    readonly started_at: Date;
    readonly finished_at: Date;
  }>("SELECT name, result, started_at, finished_at FROM workflow_steps WHERE task_id = $1 ORDER BY number", [taskId]);
  return rows.map(({ name, result, started_at: startedAt, finished_at: finishedAt }) => ({
    name,
    result,
    startedAt,
    finishedAt,
  }));
}

/**
 * Keeps what a step came to, once: of two workers the first wins, and both get what was kept. Throws `canceled` when the
 * task is no longer worked on: then the step does not count.
 */
export function keepWorkflowStep(
  db: Database,
  taskId: string,
  step: WorkflowStep & { readonly made?: readonly WorkflowMade[] },
): Promise<Json> {
  return db.transaction(async (tx) => {
    const [open] = await tx.query<{ readonly id: string }>(
      "SELECT id FROM workflow_tasks WHERE id = $1 AND status = 'working' FOR UPDATE",
      [taskId],
    );
    if (open === undefined) throw new AppError("canceled", "the task has ended without this worker");
    await tx.query(
      `INSERT INTO workflow_steps (task_id, name, number, result, started_at, finished_at)
       VALUES ($1, $2, (SELECT count(*) FROM workflow_steps WHERE task_id = $1), $3, $4, $5)
       ON CONFLICT (task_id, name) DO NOTHING`,
      [taskId, step.name, toJsonb(step.result), step.startedAt, step.finishedAt],
    );
    if (step.made !== undefined && step.made.length > 0) {
      const made = toJsonb(step.made.map((one) => ({ ...one })));
      await tx.query("UPDATE workflow_tasks SET made = made || $2::jsonb WHERE id = $1", [taskId, made]);
    }
    const [kept] = await tx.query<{ readonly result: Json }>(
      "SELECT result FROM workflow_steps WHERE task_id = $1 AND name = $2",
      [taskId, step.name],
    );
    return kept?.result ?? null;
  });
}

/** Shows how far a task is, and what it has so far. A task that has ended is left as it is. */
export async function tellWorkflowProgress(
  db: Queryable,
  taskId: string,
  told: { readonly progress: WorkflowProgress; readonly partialResult?: Json; readonly now: Date },
): Promise<void> {
  await db.query(
    `UPDATE workflow_tasks SET progress = $2, partial_result = coalesce($3, partial_result), updated_at = $4
     WHERE id = $1 AND status = 'working'`,
    [
      taskId,
      toJsonb({ ...told.progress }),
      told.partialResult === undefined ? null : toJsonb(told.partialResult),
      told.now,
    ],
  );
}

/** What the last run under this name left behind. */
export async function findWorkflowMemory(db: Queryable, teamId: string, name: string): Promise<Json | undefined> {
  const [row] = await db.query<{ readonly value: Json }>(
    "SELECT value FROM workflow_memories WHERE team_id = $1 AND name = $2",
    [teamId, name],
  );
  return row?.value;
}

/** Leaves something for the next run under this name. */
export async function keepWorkflowMemory(
  db: Queryable,
  memory: {
    readonly teamId: string;
    readonly name: string;
    readonly taskId: string;
    readonly value: Json;
    readonly now: Date;
  },
): Promise<void> {
  await db.query(
    `INSERT INTO workflow_memories (team_id, name, task_id, value, updated_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (team_id, name) DO UPDATE SET task_id = $3, value = $4, updated_at = $5`,
    [memory.teamId, memory.name, memory.taskId, toJsonb(memory.value), memory.now],
  );
}
