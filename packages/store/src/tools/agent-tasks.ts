import { AppError, makeId } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { TOOLS_CHANNEL } from "./tools-channel.ts";

/**
 * The life of a sub-agent's task.
 *
 * - `running`: a process works on it.
 * - `completed`: the sub-agent said that it is done.
 * - `aborted`: a person stopped it.
 * - `errored`: it could not begin, failed, or its process died.
 */
export type AgentTaskState = "running" | "completed" | "aborted" | "errored";

/** A task as it stands; `summary` is there once it has ended. */
export interface AgentTask {
  readonly id: string;
  readonly teamId: string;
  readonly parentSessionId: string;
  readonly toolCallId: string;
  /** The sub-agent's own; null when it could not begin. */
  readonly sessionId: string | null;
  readonly title: string;
  readonly request: Json;
  readonly state: AgentTaskState;
  readonly summary: string | null;
  readonly fileResults: Json;
  readonly isBackground: boolean;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** A task to be kept; one with `refusal` ends at once. */
export interface NewAgentTask {
  readonly teamId: string;
  readonly parentSessionId: string;
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly title: string;
  readonly request: Json;
  readonly isBackground: boolean;
  readonly runnerId: string;
  readonly leaseUntil: Date;
}

/**
 * Keeps a task as running, unless the team has `maxRunning` of them: then it is
 * kept as errored, and says so. The task of a call that has one already comes back
 * as it is.
 */
export function startAgentTask(
  db: Database,
  task: NewAgentTask,
  limits: { readonly maxRunning: number; readonly refusal: string },
  now: Date,
): Promise<{ readonly task: AgentTask; readonly isNew: boolean }> {
  return db.transaction(async (tx) => {
    // Two starts at once must not both take the last place.
    await tx.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`agent_tasks ${task.teamId}`]);
    const [row] = await tx.query<TaskRow>(
      `WITH room AS (SELECT count(*) < $11 AS is_left FROM agent_tasks WHERE team_id = $2 AND state = 'running')
       INSERT INTO agent_tasks (id, team_id, parent_session_id, tool_call_id, session_id, title, request, is_background,
                                state, runner_id, lease_until, summary, created_at, ended_at)
       SELECT $1, $2, $3, $4, $5, $6, $7::jsonb, $8::boolean, CASE WHEN is_left THEN 'running' ELSE 'errored' END, $9,
              CASE WHEN is_left THEN $10::timestamptz END, CASE WHEN is_left THEN NULL ELSE $12::text END,
              $13::timestamptz, CASE WHEN is_left THEN NULL ELSE $13::timestamptz END
       FROM room ON CONFLICT (parent_session_id, tool_call_id) DO NOTHING RETURNING ${COLUMNS}`,
      [
        makeId("task", now),
        task.teamId,
        task.parentSessionId,
        task.toolCallId,
        task.sessionId,
        cleanText(task.title),
        toJsonb(task.request),
        task.isBackground,
        task.runnerId,
        task.leaseUntil,
        limits.maxRunning,
        limits.refusal,
        now,
      ],
    );
    if (row !== undefined) return { task: toTask(row), isNew: true };
    const [kept] = await tx.query<TaskRow>(
      `SELECT ${COLUMNS} FROM agent_tasks WHERE parent_session_id = $1 AND tool_call_id = $2`,
      [task.parentSessionId, task.toolCallId],
    );
    if (kept === undefined) throw new Error("a task was there and is not");
    return { task: toTask(kept), isNew: false };
  });
}

/** The tasks of these ids that the session asked for, in no order; unknown ones are left out. */
export async function listAgentTasks(
  db: Queryable,
  key: { readonly teamId: string; readonly parentSessionId: string },
  ids: readonly string[],
): Promise<readonly AgentTask[]> {
  const rows = await db.query<TaskRow>(
    `SELECT ${COLUMNS} FROM agent_tasks WHERE team_id = $1 AND parent_session_id = $2 AND id = ANY ($3)`,
    [key.teamId, key.parentSessionId, ids],
  );
  return rows.map(toTask);
}

/** The task of that id that the session asked for; undefined for another's. */
export async function findAgentTask(
  db: Queryable,
  parentSessionId: string,
  id: string,
): Promise<AgentTask | undefined> {
  const [row] = await db.query<TaskRow>(`SELECT ${COLUMNS} FROM agent_tasks WHERE parent_session_id = $1 AND id = $2`, [
    parentSessionId,
    id,
  ]);
  return row === undefined ? undefined : toTask(row);
}

/** How a task ends. */
export interface AgentTaskEnd {
  readonly id: string;
  readonly state: Exclude<AgentTaskState, "running">;
  readonly summary: string;
  readonly fileResults: Json;
  /** Only while this process still has it. */
  readonly runnerId?: string;
}

/**
 * Ends a running task and tells those who wait. Undefined when it has ended, or,
 * for one that completed, when it was told something it has not read: it must go on.
 */
export function endAgentTask(db: Database, end: AgentTaskEnd, now: Date): Promise<AgentTask | undefined> {
  return db.transaction(async (tx) => {
    const [open] = await tx.query<{ unread: boolean }>(
      `SELECT EXISTS (SELECT FROM agent_task_messages m WHERE m.task_id = t.id AND m.delivered_at IS NULL) AS unread
       FROM agent_tasks t WHERE id = $1 AND state = 'running' AND ($2::text IS NULL OR runner_id = $2) FOR UPDATE`,
      [end.id, end.runnerId ?? null],
    );
    if (open === undefined || (open.unread && end.state === "completed")) return undefined;
    const [row] = await tx.query<TaskRow>(
      `WITH ended AS (
         UPDATE agent_tasks SET state = $2, summary = $3, file_results = $4::jsonb, ended_at = $5, lease_until = NULL
         WHERE id = $1 RETURNING *
       ), closed AS (
         UPDATE tool_sessions s SET closed_at = coalesce(s.closed_at, $5) FROM ended WHERE s.id = ended.session_id
       )
       SELECT ${COLUMNS}, pg_notify('${TOOLS_CHANNEL}', json_build_object('teamId', team_id, 'sessionId',
         parent_session_id, 'callId', id, 'approvalId', NULL)::text) FROM ended`,
      [end.id, end.state, cleanText(end.summary), toJsonb(end.fileResults), now],
    );
    return row === undefined ? undefined : toTask(row);
  });
}

/** Tells a running task something; false when it is over or not the session's. */
export function tellAgentTask(
  db: Database,
  key: { readonly teamId: string; readonly parentSessionId: string; readonly id: string },
  text: string,
  now: Date,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [task] = await tx.query<{ state: AgentTaskState }>(
      "SELECT state FROM agent_tasks WHERE team_id = $1 AND parent_session_id = $2 AND id = $3 FOR UPDATE",
      [key.teamId, key.parentSessionId, key.id],
    );
    if (task?.state !== "running") return false;
    await tx.query("INSERT INTO agent_task_messages (task_id, text, created_at) VALUES ($1, $2, $3)", [
      key.id,
      cleanText(text),
      now,
    ]);
    return true;
  });
}

/** Takes what a task was told and has not read, oldest first; each is given out once. */
export async function takeTaskMessages(db: Queryable, taskId: string, now: Date): Promise<readonly string[]> {
  const rows = await db.query<{ id: number; text: string }>(
    "UPDATE agent_task_messages SET delivered_at = $2 WHERE task_id = $1 AND delivered_at IS NULL RETURNING id, text",
    [taskId, now],
  );
  return [...rows].sort((a, b) => a.id - b.id).map(({ text }) => text);
}

/** Says that this process still works on these tasks. */
export async function extendTaskLeases(
  db: Queryable,
  tasks: { readonly ids: readonly string[]; readonly runnerId: string; readonly leaseUntil: Date },
): Promise<void> {
  await db.query(
    "UPDATE agent_tasks SET lease_until = $3 WHERE id = ANY ($1) AND runner_id = $2 AND state = 'running'",
    [tasks.ids, tasks.runnerId, tasks.leaseUntil],
  );
}

/** Tasks whose process has not been heard of: their lease ran out. */
export async function listLostTasks(db: Queryable, now: Date, limit: number): Promise<readonly AgentTask[]> {
  const rows = await db.query<TaskRow>(
    `SELECT ${COLUMNS} FROM agent_tasks WHERE state = 'running' AND lease_until < $1 ORDER BY lease_until LIMIT $2`,
    [now, limit],
  );
  return rows.map(toTask);
}

/** The background tasks of a session whose end it has not heard of; each is given out once. */
export async function takeEndedTasks(db: Queryable, parentSessionId: string, now: Date): Promise<readonly AgentTask[]> {
  const rows = await db.query<TaskRow>(
    `UPDATE agent_tasks SET announced_at = $2
     WHERE parent_session_id = $1 AND is_background AND announced_at IS NULL AND state <> 'running'
     RETURNING ${COLUMNS}`,
    [parentSessionId, now],
  );
  return rows.map(toTask).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** A task by its id; throws `not_found`, also for another team's. */
export async function getAgentTask(db: Queryable, teamId: string, id: string): Promise<AgentTask> {
  const [row] = await db.query<TaskRow>(`SELECT ${COLUMNS} FROM agent_tasks WHERE team_id = $1 AND id = $2`, [
    teamId,
    id,
  ]);
  if (row === undefined) throw new AppError("not_found", `there is no task ${id}`);
  return toTask(row);
}

/** PostgreSQL keeps no U+0000 in text, and models write anything. */
export function cleanText(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

const COLUMNS = `id, team_id, parent_session_id, tool_call_id, session_id, title, request, state, summary, file_results,
  is_background, created_at, ended_at`;

interface TaskRow {
  readonly id: string;
  readonly team_id: string;
  readonly parent_session_id: string;
  readonly tool_call_id: string;
  readonly session_id: string | null;
  readonly title: string;
  readonly request: Json;
  readonly state: AgentTaskState;
  readonly summary: string | null;
  readonly file_results: Json;
  readonly is_background: boolean;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

function toTask(row: TaskRow): AgentTask {
  return {
    id: row.id,
    teamId: row.team_id,
    parentSessionId: row.parent_session_id,
    toolCallId: row.tool_call_id,
    sessionId: row.session_id,
    title: row.title,
    request: row.request,
    state: row.state,
    summary: row.summary,
    fileResults: row.file_results,
    isBackground: row.is_background,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}
