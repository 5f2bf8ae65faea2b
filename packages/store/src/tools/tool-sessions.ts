import { AppError, decodeCursor, makeId, toPage, type Page } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { notifyContextChange } from "./tools-channel.ts";

/** What a session lets its calls do: everything by policy, or no change to the workspace. */
export type SessionMode = "agent" | "plan" | "ask";

/** A lasting context of tool calls. */
export interface ToolSession {
  readonly id: string;
  readonly teamId: string;
  /** The client's own name for it; null when it has none. */
  readonly name: string | null;
  readonly workspaceRoot: string;
  /** The machine that holds the workspace; null for the server itself. */
  readonly machine: string | null;
  /** The session of the agent that a sub-agent works for; null for an agent's own. */
  readonly parentId: string | null;
  /** What the sub-agent is called where people are asked about its calls; null for an agent's own session. */
  readonly agentName: string | null;
  /** Where it may write, relative to the workspace; null for anywhere. */
  readonly writeDirectories: readonly string[] | null;
  readonly mode: SessionMode;
  readonly todos: Json;
  readonly terminals: Json;
  readonly lastSequence: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly closedAt: Date | null;
}

/** What a new session may say of itself. */
export interface NewToolSession {
  readonly id?: string;
  readonly teamId: string;
  readonly name?: string;
  readonly workspaceRoot?: string;
  readonly machine?: string;
  readonly mode?: SessionMode;
  /** Of a sub-agent: both or neither. */
  readonly parentId?: string;
  readonly agentName?: string;
  readonly writeDirectories?: readonly string[] | undefined;
}

/** Makes a session. With the name of one that is open, gives that one back, whatever else was asked. */
export async function openToolSession(db: Queryable, wish: NewToolSession, now: Date): Promise<ToolSession> {
  const [row] = await db.query<SessionRow>(
    `INSERT INTO tool_sessions (id, team_id, name, workspace_root, mode, created_at, updated_at, machine,
                                parent_id, agent_name, write_directories)
     VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, $10)
     ON CONFLICT (team_id, name) WHERE name IS NOT NULL AND closed_at IS NULL DO UPDATE SET updated_at = EXCLUDED.updated_at
     RETURNING ${SESSION_COLUMNS}`,
    [
      wish.id ?? makeId("session", now),
      wish.teamId,
      wish.name ?? null,
      wish.workspaceRoot ?? "",
      wish.mode ?? "agent",
      now,
      wish.machine ?? null,
      wish.parentId ?? null,
      wish.agentName ?? null,
      wish.writeDirectories === undefined ? null : toJsonb(wish.writeDirectories),
    ],
  );
  if (row === undefined) throw new Error("one session in, none out");
  return toSession(row);
}

/** One session of the team; throws `not_found`, also for another team's. */
export async function getToolSession(db: Queryable, teamId: string, id: string): Promise<ToolSession> {
  const [row] = await db.query<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM tool_sessions WHERE team_id = $1 AND id = $2`,
    [teamId, id],
  );
  if (row === undefined) throw new AppError("not_found", `there is no session ${id}; make one or leave it out`);
  return toSession(row);
}

/** The team's sessions, newest first. */
export async function listToolSessions(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<ToolSession>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM tool_sessions WHERE team_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toSession), page.limit, ({ id }) => [id]);
}

/** What may change in a session. */
export interface SessionChange {
  readonly mode?: SessionMode | undefined;
  readonly workspaceRoot?: string | undefined;
  readonly machine?: string | undefined;
  readonly todos?: Json | undefined;
  readonly terminals?: Json | undefined;
}

/** Changes a session; throws `not_found`, also for another team's. */
export async function updateToolSession(
  db: Queryable,
  key: { readonly teamId: string; readonly id: string },
  change: SessionChange,
  now: Date,
): Promise<ToolSession> {
  const [row] = await db.query<SessionRow>(
    `UPDATE tool_sessions SET mode = coalesce($3, mode), workspace_root = coalesce($4, workspace_root),
       todos = coalesce($5::jsonb, todos), terminals = coalesce($6::jsonb, terminals), updated_at = $7,
       machine = coalesce($8, machine)
     WHERE team_id = $1 AND id = $2 RETURNING ${SESSION_COLUMNS}`,
    [
      key.teamId,
      key.id,
      change.mode ?? null,
      change.workspaceRoot ?? null,
      change.todos === undefined ? null : toJsonb(change.todos),
      change.terminals === undefined ? null : toJsonb(change.terminals),
      now,
      change.machine ?? null,
    ],
  );
  if (row === undefined) throw new AppError("not_found", `there is no session ${key.id}`);
  await notifyContextChange(db, key.teamId, key.id);
  return toSession(row);
}

/**
 * Puts a session into another mode; one that changes nothing also holds for the
 * sub-agents that work for it. Gives the mode it was in before. Throws `not_found`.
 */
export async function switchSessionMode(
  db: Database,
  key: { readonly teamId: string; readonly id: string },
  mode: SessionMode,
  now: Date,
): Promise<SessionMode> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<{ mode: SessionMode }>(
      "SELECT mode FROM tool_sessions WHERE team_id = $1 AND id = $2 FOR UPDATE",
      [key.teamId, key.id],
    );
    if (row === undefined) throw new AppError("not_found", `there is no session ${key.id}`);
    await updateToolSession(tx, key, { mode }, now);
    if (mode !== "agent") {
      const children = await tx.query<{ id: string }>(
        `UPDATE tool_sessions SET mode = $2, updated_at = $3
         WHERE parent_id = $1 AND mode = 'agent' AND closed_at IS NULL RETURNING id`,
        [key.id, mode, now],
      );
      for (const { id } of children) await notifyContextChange(tx, key.teamId, id);
    }
    return row.mode;
  });
}

/** Changes a session's todos by what they were, with nobody else in between; both lists come back. Throws what `change` throws. */
export function changeSessionTodos(
  db: Database,
  key: { readonly teamId: string; readonly id: string },
  change: (before: Json) => Json,
  now: Date,
): Promise<{ readonly before: Json; readonly after: Json }> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<{ todos: Json }>(
      "SELECT todos FROM tool_sessions WHERE team_id = $1 AND id = $2 FOR UPDATE",
      [key.teamId, key.id],
    );
    if (row === undefined) throw new AppError("not_found", `there is no session ${key.id}`);
    const after = change(row.todos);
    await updateToolSession(tx, key, { todos: after }, now);
    return { before: row.todos, after };
  });
}

/** Closes a session: it takes no more calls. Closing it again changes nothing. */
export async function closeToolSession(db: Queryable, teamId: string, id: string, now: Date): Promise<ToolSession> {
  const [row] = await db.query<SessionRow>(
    `UPDATE tool_sessions SET closed_at = coalesce(closed_at, $3) WHERE team_id = $1 AND id = $2 RETURNING ${SESSION_COLUMNS}`,
    [teamId, id, now],
  );
  if (row === undefined) throw new AppError("not_found", `there is no session ${id}`);
  await notifyContextChange(db, teamId, id);
  return toSession(row);
}

/** Takes the texts that wait to be said to the session's agent, oldest first; each is given out once. */
export async function takeSessionMessages(db: Queryable, sessionId: string, now: Date): Promise<readonly string[]> {
  const rows = await db.query<{ id: number; text: string }>(
    `UPDATE tool_messages SET delivered_at = $2 WHERE session_id = $1 AND delivered_at IS NULL RETURNING id, text`,
    [sessionId, now],
  );
  return [...rows].sort((a, b) => a.id - b.id).map(({ text }) => text);
}

/** The columns of a SessionRow. */
export const SESSION_COLUMNS =
  "id, team_id, name, workspace_root, machine, parent_id, agent_name, write_directories, mode, todos, terminals, " +
  "last_sequence, created_at, updated_at, closed_at";

/** A session as the database has it. */
export interface SessionRow {
  readonly id: string;
  readonly team_id: string;
  readonly name: string | null;
  readonly workspace_root: string;
  readonly machine: string | null;
  readonly parent_id: string | null;
  readonly agent_name: string | null;
  readonly write_directories: readonly string[] | null;
  readonly mode: SessionMode;
  readonly todos: Json;
  readonly terminals: Json;
  readonly last_sequence: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly closed_at: Date | null;
}

/** A session from its row. */
export function toSession(row: SessionRow): ToolSession {
  return {
    id: row.id,
    teamId: row.team_id,
    name: row.name,
    workspaceRoot: row.workspace_root,
    machine: row.machine,
    parentId: row.parent_id,
    agentName: row.agent_name,
    writeDirectories: row.write_directories,
    mode: row.mode,
    todos: row.todos,
    terminals: row.terminals,
    lastSequence: row.last_sequence,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
  };
}
