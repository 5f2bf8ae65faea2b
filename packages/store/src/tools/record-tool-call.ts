import { makeId } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { contextVersion } from "./call-context.ts";
import { findToolCall, type AcceptOutcome, type NewToolCall, type ToolCall, type ToolCallEnd } from "./tool-calls.ts";

/** A call that ran before it was kept: only one that changes nothing may. */
export interface EndedToolCall extends Omit<NewToolCall, "start"> {
  readonly id: string;
  readonly allowedBy: string;
  readonly startedAt: Date;
  readonly end: Pick<ToolCallEnd, "state" | "outcome" | "audit">;
}

/** An id for such a call, which its line in the audit log names before there is a row. */
export function makeToolCallId(now: Date): string {
  return makeId("call", now);
}

/**
 * Keeps a call together with its end: its row, its number among the session's
 * results and its line in the audit log, in one statement. As with `acceptToolCall`,
 * a known tool_call_id changes nothing, and neither does a context that is outdated.
 * Nobody is told: who does not know of a call cannot wait for it.
 */
export async function recordToolCall(db: Queryable, call: EndedToolCall, now: Date): Promise<AcceptOutcome> {
  const outcome = toJsonb(call.end.outcome);
  const args = toJsonb(call.args);
  const [row] = await db.query<{ readonly sequence: number }>(
    RECORD,
    [
      call.id,
      call.teamId,
      call.sessionId,
      call.toolCallId,
      call.tool,
      args,
      call.argsHash,
      call.end.state,
      call.allowedBy,
      call.caller,
      call.isInternal,
      outcome,
      call.startedAt,
      now,
      call.contextVersion ?? null,
      JSON.stringify(call.end.audit),
    ],
    { isPrepared: true },
  );
  if (row !== undefined)
    return { kind: "kept", call: toEnded(call, { args, outcome, sequence: row.sequence, now }), isNew: true };
  const kept = await findToolCall(db, call.sessionId, call.toolCallId);
  return kept === undefined ? { kind: "stale" } : { kind: "kept", call: kept, isNew: false };
}

/** Two at once with one id leave a gap in the session's numbers, never two rows. */
const RECORD = `WITH numbered AS (
    UPDATE tool_sessions s SET last_sequence = s.last_sequence + 1, updated_at = $14::timestamptz
    WHERE s.id = $3 AND s.team_id = $2 AND ($15::text IS NULL OR $15 = ${contextVersion("s")})
      AND NOT EXISTS (SELECT FROM tool_calls known WHERE known.session_id = $3 AND known.tool_call_id = $4)
    RETURNING s.team_id, s.last_sequence
  ), made AS (
    INSERT INTO tool_calls (id, team_id, session_id, tool_call_id, tool, args, args_hash, run_args, state, allowed_by,
                            caller, is_internal, outcome, sequence, created_at, started_at, ended_at)
    SELECT $1, numbered.team_id, $3, $4, $5, $6::jsonb, $7, $6::jsonb, $8, $9, $10, $11::boolean, $12::jsonb, numbered.last_sequence,
           $13::timestamptz, $13::timestamptz, $14::timestamptz
    FROM numbered ON CONFLICT (session_id, tool_call_id) DO NOTHING RETURNING team_id, sequence
  )
  SELECT sequence, append_tool_audit(team_id, $16) FROM made`;

/** The row as it would be read: what PostgreSQL cannot hold is replaced there, and so here. */
function toEnded(
  call: EndedToolCall,
  row: { readonly args: string; readonly outcome: string; readonly sequence: number; readonly now: Date },
): ToolCall {
  const args = JSON.parse(row.args) as Json;
  return {
    id: call.id,
    teamId: call.teamId,
    sessionId: call.sessionId,
    toolCallId: call.toolCallId,
    tool: call.tool,
    args,
    argsHash: call.argsHash,
    runArgs: args,
    state: call.end.state,
    allowedBy: call.allowedBy,
    caller: call.caller,
    isInternal: call.isInternal,
    outcome: JSON.parse(row.outcome) as Json,
    sequence: row.sequence,
    leaseUntil: null,
    createdAt: call.startedAt,
    startedAt: call.startedAt,
    endedAt: row.now,
  };
}
