import type { Json } from "../jsonb.ts";
import type { WorkflowStatus } from "./workflow-state.ts";

/** How far a task is. */
export interface WorkflowProgress {
  readonly step: string;
  readonly completed: number;
  readonly total: number;
  readonly message?: string;
}

/** Why a task failed: the step, and whether the same again may work. */
export interface WorkflowFailure {
  readonly step: string;
  readonly message: string;
  readonly recoverable: boolean;
}

/** Something a task set going, which outlives the step that did. */
export interface WorkflowMade {
  readonly kind: "webset" | "research";
  readonly id: string;
}

/** A workflow's task as the store keeps it. */
export interface WorkflowTask {
  readonly id: string;
  readonly teamId: string;
  readonly workflow: string;
  readonly args: Json;
  readonly status: WorkflowStatus;
  readonly progress: WorkflowProgress;
  readonly partialResult: Json;
  readonly result: Json;
  readonly error: WorkflowFailure | null;
  readonly made: readonly WorkflowMade[];
  readonly jobId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly finishedAt: Date | null;
  readonly expiresAt: Date | null;
}

/** A step that was done, and what it came to. */
export interface WorkflowStep {
  readonly name: string;
  readonly result: Json;
  readonly startedAt: Date;
  readonly finishedAt: Date;
}

/** The columns of `toWorkflowTask`. */
export const WORKFLOW_COLUMNS =
  "id, team_id, workflow, args, status, progress, partial_result, result, error, made, job_id, created_at, updated_at, finished_at, expires_at";

/** A row of the table. */
export interface WorkflowRow {
  readonly id: string;
  readonly team_id: string;
  readonly workflow: string;
  readonly args: Json;
  readonly status: WorkflowStatus;
  readonly progress: WorkflowProgress;
  readonly partial_result: Json;
  readonly result: Json;
  readonly error: WorkflowFailure | null;
  readonly made: readonly WorkflowMade[];
  readonly job_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly finished_at: Date | null;
  readonly expires_at: Date | null;
}

/** Reads a row. */
export function toWorkflowTask(row: WorkflowRow): WorkflowTask {
  return {
    id: row.id,
    teamId: row.team_id,
    workflow: row.workflow,
    args: row.args,
    status: row.status,
    progress: row.progress,
    partialResult: row.partial_result,
    result: row.result,
    error: row.error,
    made: row.made,
    jobId: row.job_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
  };
}
