import { makeId } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { contextVersion } from "./call-context.ts";
import type { AuditEntry } from "./tool-audit.ts";
import type { ToolCallState } from "./tool-call-state.ts";
import { TOOLS_CHANNEL } from "./tools-channel.ts";

/** A tool call as it stands. `outcome` is there once it has ended. */
export interface ToolCall {
  readonly id: string;
  readonly teamId: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly tool: string;
  readonly args: Json;
  readonly argsHash: string;
  /** What runs: `args`, unless a person edited them. */
  readonly runArgs: Json;
  readonly state: ToolCallState;
  /** The rule that allowed it, or the approval that granted it. */
  readonly allowedBy: string | null;
  readonly caller: string;
  readonly isInternal: boolean;
  readonly outcome: Json | null;
  /** Its place among the session's results. */
  readonly sequence: number | null;
  readonly leaseUntil: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** What an approval asks; the agent room knows its shape. */
export interface NewApproval {
  readonly id: string;
  readonly question: Json;
  readonly expiresAt: Date;
}

/** A call to be kept: either it may run at once, or it must be asked about first. */
export interface NewToolCall {
  readonly teamId: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly tool: string;
  readonly args: Json;
  readonly argsHash: string;
  readonly caller: string;
  readonly isInternal: boolean;
  readonly start:
    | {
        readonly kind: "run";
        readonly allowedBy: string;
        readonly runnerId: string;
        readonly leaseUntil: Date;
        /** Whether running it changes anything: one that only reads need not be on the disk before it runs. */
        readonly hasEffects: boolean;
      }
    | { readonly kind: "ask"; readonly approval: NewApproval };
  /** The CallContext it was judged by. When that has changed since, the call is not kept. */
  readonly contextVersion?: string;
}

/** Kept, now or before; or judged by rules that hold no longer, and not kept. */
export type AcceptOutcome =
  { readonly kind: "kept"; readonly call: ToolCall; readonly isNew: boolean } | { readonly kind: "stale" };

/** Keeps a call. When the session knows its tool_call_id already, nothing changes and the kept one comes back. */
export async function acceptToolCall(db: Queryable, call: NewToolCall, now: Date): Promise<AcceptOutcome> {
  const { start } = call;
  const isRun = start.kind === "run";
  const insert = `INSERT INTO tool_calls (id, team_id, session_id, tool_call_id, tool, args, args_hash, run_args, state, allowed_by,
                               caller, is_internal, runner_id, lease_until, created_at, started_at)
       SELECT $1, s.team_id, s.id, $4, $5, $6::jsonb, $7, $6::jsonb, $8, $9, $10, $11::boolean, $12, $13::timestamptz,
              $14::timestamptz, $15::timestamptz
       FROM tool_sessions s WHERE s.id = $3 AND s.team_id = $2 AND ($16::text IS NULL OR $16 = ${contextVersion("s")})
       ON CONFLICT (session_id, tool_call_id) DO NOTHING`;
  // What only reads may be forgotten when the machine dies before it ends; its end brings both rows to the disk.
  const returned = isRun && !start.hasEffects ? "id, set_config('synchronous_commit', 'off', true)" : "id";
  // A call that runs at once has no question: the shorter statement is planned in half the time.
  const asking = `WITH made AS (
       ${insert} RETURNING *
     ), numbered AS (
       UPDATE tool_sessions s SET last_query = s.last_query + 1 FROM made
       WHERE s.id = made.session_id RETURNING s.last_query
     ), asked AS (
       INSERT INTO tool_approvals (id, team_id, session_id, call_id, tool_call_id, tool, query_number, args, args_hash,
                                   question, is_internal, state, created_at, expires_at)
       SELECT $17, made.team_id, made.session_id, made.id, made.tool_call_id, made.tool, numbered.last_query, made.args,
              made.args_hash, $18::jsonb, made.is_internal, 'pending', $14, $19
       FROM made, numbered RETURNING id
     )
     SELECT id, ${notify("made", "$17::text")} FROM made`;
  const args = toJsonb(call.args);
  const id = makeId("call", now);
  const values = [
    id,
    call.teamId,
    call.sessionId,
    call.toolCallId,
    call.tool,
    args,
    call.argsHash,
    isRun ? "running" : "awaiting-approval",
    isRun ? start.allowedBy : null,
    call.caller,
    call.isInternal,
    isRun ? start.runnerId : null,
    isRun ? start.leaseUntil : null,
    now,
    isRun ? now : null,
    call.contextVersion ?? null,
    ...(isRun ? [] : [start.approval.id, toJsonb(start.approval.question), start.approval.expiresAt]),
  ];
  const sql = isRun ? `${insert} RETURNING ${returned}` : asking;
  const [made] = await db.query(sql, values, { isPrepared: true });
  if (made !== undefined) return { kind: "kept", call: toKept(call, { id, args, now }), isNew: true };
  const kept = await findToolCall(db, call.sessionId, call.toolCallId);
  return kept === undefined ? { kind: "stale" } : { kind: "kept", call: kept, isNew: false };
}

/** The new row as it would be read: what PostgreSQL cannot hold is replaced there, and so here. Its arguments may be a whole file. */
function toKept(call: NewToolCall, row: { readonly id: string; readonly args: string; readonly now: Date }): ToolCall {
  const { teamId, sessionId, toolCallId, tool, argsHash, caller, isInternal, start } = call;
  const isRun = start.kind === "run";
  const args = JSON.parse(row.args) as Json;
  return {
    id: row.id,
    teamId,
    sessionId,
    toolCallId,
    tool,
    args,
    argsHash,
    runArgs: args,
    state: isRun ? "running" : "awaiting-approval",
    allowedBy: isRun ? start.allowedBy : null,
    caller,
    isInternal,
    outcome: null,
    sequence: null,
    leaseUntil: isRun ? start.leaseUntil : null,
    createdAt: row.now,
    startedAt: isRun ? row.now : null,
    endedAt: null,
  };
}

/** The call of that id in the session. */
export async function findToolCall(
  db: Queryable,
  sessionId: string,
  toolCallId: string,
): Promise<ToolCall | undefined> {
  const [row] = await db.query<ToolCallRow>(
    `SELECT ${COLUMNS} FROM tool_calls WHERE session_id = $1 AND tool_call_id = $2`,
    [sessionId, toolCallId],
  );
  return row === undefined ? undefined : toToolCall(row);
}

/**
 * The call by its own id, for someone who waits for its end: from now on the end of this call is told on TOOLS_CHANNEL,
 * whoever ends it. Listen first, then ask this.
 */
export async function followToolCall(db: Queryable, id: string): Promise<ToolCall | undefined> {
  await db.query(
    "UPDATE tool_calls SET is_followed = true WHERE id = $1 AND NOT is_followed AND state IN ('awaiting-approval', 'running')",
    [id],
  );
  return getToolCall(db, id);
}

/** A call by its own id. */
export async function getToolCall(db: Queryable, id: string): Promise<ToolCall | undefined> {
  const [row] = await db.query<ToolCallRow>(`SELECT ${COLUMNS} FROM tool_calls WHERE id = $1`, [id]);
  return row === undefined ? undefined : toToolCall(row);
}

/**
 * Uses the call's grant and starts the call, both or neither. Undefined when there
 * is no grant for these arguments that is neither used nor expired, or the call
 * does not wait for one.
 */
export async function takeGrant(
  db: Queryable,
  taking: {
    readonly callId: string;
    readonly argsHash: string;
    readonly runnerId: string;
    readonly leaseUntil: Date;
  },
  now: Date,
): Promise<ToolCall | undefined> {
  const [row] = await db.query<ToolCallRow>(
    `WITH locked AS (
       SELECT id FROM tool_calls WHERE id = $1 AND state = 'awaiting-approval' FOR UPDATE
     ), used AS (
       UPDATE tool_approvals a SET state = 'used', used_at = $5 FROM locked
       WHERE a.call_id = locked.id AND a.state = 'granted' AND a.args_hash = $2 AND a.expires_at > $5
       RETURNING a.id, a.call_id, a.edited_args
     )
     UPDATE tool_calls c SET state = 'running', run_args = coalesce(used.edited_args, c.args), allowed_by = used.id,
       runner_id = $3, lease_until = $4, started_at = $5
     FROM used WHERE c.id = used.call_id RETURNING ${columnsOf("c")}`,
    [taking.callId, taking.argsHash, taking.runnerId, taking.leaseUntil, now],
    { isPrepared: true },
  );
  return row === undefined ? undefined : toToolCall(row);
}

/** How a call ends. */
export interface ToolCallEnd {
  readonly callId: string;
  /** The states it may be in now; in any other nothing happens. */
  readonly from: readonly ToolCallState[];
  /** Only while this process still has it, which ends its own call then: nobody is told but those who follow it. */
  readonly runnerId?: string;
  readonly state: Exclude<ToolCallState, "awaiting-approval" | "running">;
  readonly outcome: Json;
  readonly audit: AuditEntry;
}

/** What its end changes of a call, as it would be read. */
export type CallEnding = Pick<ToolCall, "state" | "outcome" | "sequence" | "leaseUntil" | "endedAt">;

/**
 * Ends a call: its outcome, its number among the session's results, its line in
 * the audit log, and the withdrawal of an open approval, in one statement.
 * Undefined when it was not in one of those states.
 */
export async function endToolCall(db: Queryable, end: ToolCallEnd, now: Date): Promise<CallEnding | undefined> {
  const outcome = toJsonb(end.outcome);
  // Only a call that waits can have an open approval: a grant is used when the call starts.
  const withdrawn = !end.from.includes("awaiting-approval")
    ? ""
    : `withdrawn AS (
       UPDATE tool_approvals a SET state = 'withdrawn' FROM locked
       WHERE a.call_id = locked.id AND a.state IN ('pending', 'granted')
     ),`;
  const [row] = await db.query<{ readonly sequence: number }>(
    `WITH locked AS (
       SELECT id, session_id FROM tool_calls
       WHERE id = $1 AND state = ANY ($2) AND ($3::text IS NULL OR runner_id = $3) FOR UPDATE
     ), ${withdrawn} numbered AS (
       UPDATE tool_sessions s SET last_sequence = s.last_sequence + 1, updated_at = $6 FROM locked
       WHERE s.id = locked.session_id RETURNING s.last_sequence
     ), ended AS (
       UPDATE tool_calls c SET state = $4, outcome = $5, ended_at = $6, lease_until = NULL,
         sequence = numbered.last_sequence
       FROM numbered WHERE c.id = $1 RETURNING c.id, c.team_id, c.session_id, c.state, c.sequence, c.is_followed
     )
     SELECT sequence, append_tool_audit(team_id, $7),
       CASE WHEN is_followed OR $3 IS NULL THEN ${notify("ended", "NULL::text")} END FROM ended`,
    [end.callId, end.from, end.runnerId ?? null, end.state, outcome, now, JSON.stringify(end.audit)],
    { isPrepared: true },
  );
  if (row === undefined) return undefined;
  const { state } = end;
  return { state, outcome: JSON.parse(outcome) as Json, sequence: row.sequence, leaseUntil: null, endedAt: now };
}

/** Says that this process still runs these calls. */
export async function extendCallLeases(
  db: Queryable,
  calls: { readonly ids: readonly string[]; readonly runnerId: string; readonly leaseUntil: Date },
): Promise<void> {
  await db.query(
    "UPDATE tool_calls SET lease_until = $3 WHERE id = ANY ($1) AND runner_id = $2 AND state = 'running'",
    [calls.ids, calls.runnerId, calls.leaseUntil],
  );
}

/** Calls whose process has not been heard of: their lease ran out. Those of one session, or of all. */
export async function listLostCalls(
  db: Queryable,
  now: Date,
  which: { readonly sessionId?: string | undefined; readonly limit: number },
): Promise<readonly ToolCall[]> {
  const rows = await db.query<ToolCallRow>(
    `SELECT ${COLUMNS} FROM tool_calls WHERE state = 'running' AND lease_until < $1
       ${which.sessionId === undefined ? "AND $2::text IS NULL" : "AND session_id = $2"}
     ORDER BY lease_until LIMIT $3`,
    [now, which.sessionId ?? null, which.limit],
  );
  return rows.map(toToolCall);
}

/** Ended calls of a session after a place in its results, in their order. */
export async function listResultsAfter(
  db: Queryable,
  sessionId: string,
  after: number,
  limit: number,
): Promise<readonly ToolCall[]> {
  const rows = await db.query<ToolCallRow>(
    `SELECT ${COLUMNS} FROM tool_calls WHERE session_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
    [sessionId, after, limit],
  );
  return rows.map(toToolCall);
}

/** The outcomes of the session's latest calls of these tools that succeeded, newest first. */
export async function listEarlierOutcomes(
  db: Queryable,
  sessionId: string,
  tools: readonly string[],
  limit: number,
): Promise<readonly Json[]> {
  const rows = await db.query<{ outcome: Json }>(
    `SELECT outcome FROM tool_calls WHERE session_id = $1 AND state = 'succeeded' AND tool = ANY ($2)
     ORDER BY sequence DESC LIMIT $3`,
    [sessionId, tools, limit],
  );
  return rows.map(({ outcome }) => outcome);
}

/** The session's calls that wait for an answer or for someone to run them, oldest first. */
export async function listWaitingCalls(db: Queryable, sessionId: string): Promise<readonly ToolCall[]> {
  const rows = await db.query<ToolCallRow>(
    `SELECT ${COLUMNS} FROM tool_calls WHERE session_id = $1 AND state = 'awaiting-approval' ORDER BY id`,
    [sessionId],
  );
  return rows.map(toToolCall);
}

/** SQL that tells the listeners of TOOLS_CHANNEL about the call in row `call`. */
function notify(call: string, approvalId: string): string {
  return `pg_notify('${TOOLS_CHANNEL}', json_build_object('teamId', ${call}.team_id, 'sessionId', ${call}.session_id,
    'callId', ${call}.id, 'approvalId', ${approvalId}, 'state', ${call}.state)::text)`;
}

const COLUMN_NAMES = [
  "id",
  "team_id",
  "session_id",
  "tool_call_id",
  "tool",
  "args",
  "args_hash",
  "run_args",
  "state",
  "allowed_by",
  "caller",
  "is_internal",
  "outcome",
  "sequence",
  "lease_until",
  "created_at",
  "started_at",
  "ended_at",
] as const;
const COLUMNS = COLUMN_NAMES.join(", ");

function columnsOf(table: string): string {
  return COLUMN_NAMES.map((name) => `${table}.${name}`).join(", ");
}

interface ToolCallRow {
  readonly id: string;
  readonly team_id: string;
  readonly session_id: string;
  readonly tool_call_id: string;
  readonly tool: string;
  readonly args: Json;
  readonly args_hash: string;
  readonly run_args: Json;
  readonly state: ToolCallState;
  readonly allowed_by: string | null;
  readonly caller: string;
  readonly is_internal: boolean;
  readonly outcome: Json | null;
  readonly sequence: number | null;
  readonly lease_until: Date | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

function toToolCall(row: ToolCallRow): ToolCall {
  return {
    id: row.id,
    teamId: row.team_id,
    sessionId: row.session_id,
    toolCallId: row.tool_call_id,
    tool: row.tool,
    args: row.args,
    argsHash: row.args_hash,
    runArgs: row.run_args,
    state: row.state,
    allowedBy: row.allowed_by,
    caller: row.caller,
    isInternal: row.is_internal,
    outcome: row.outcome,
    sequence: row.sequence,
    leaseUntil: row.lease_until,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
