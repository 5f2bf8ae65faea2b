import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { isYes, type ApprovalDecision, type ApprovalState } from "./approval-state.ts";
import { endToolCall, getToolCall, type ToolCall, type ToolCallEnd } from "./tool-calls.ts";
import { saveToolRule } from "./tool-rules.ts";
import { TOOLS_CHANNEL } from "./tools-channel.ts";

/** A question about one call, and its answer. */
export interface Approval {
  readonly id: string;
  readonly teamId: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly toolCallId: string;
  readonly tool: string;
  readonly queryNumber: number;
  readonly args: Json;
  readonly argsHash: string;
  readonly question: Json;
  readonly isInternal: boolean;
  readonly state: ApprovalState;
  readonly decision: ApprovalDecision | null;
  readonly reason: string | null;
  readonly review: Json | null;
  readonly editedArgs: Json | null;
  readonly answeredBy: string | null;
  /** Who made the call. */
  readonly caller: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly answeredAt: Date | null;
}

/** An answer as it is written. */
export interface ApprovalAnswer {
  readonly teamId: string;
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
  readonly reason: string;
  readonly review: Json | null;
  readonly editedArgs: Json | null;
  readonly answeredBy: string;
  /** Saved with `session` and `always`. */
  readonly rule: Json | null;
  /** Said to the session's agent as a message of the person. */
  readonly message: string | null;
}

/** What became of an answer: the first one counts. */
export type AnswerOutcome =
  | { readonly kind: "answered"; readonly approval: Approval }
  | { readonly kind: "too-late"; readonly approval: Approval };

/** How a refused or expired call ends, given the call. */
export type EndOfCall = (call: ToolCall) => Omit<ToolCallEnd, "callId" | "from">;

/**
 * Answers an approval, once. A yes makes a grant and saves its rule; a no ends
 * the call in the same transaction, and with `abort` every other waiting call of
 * the session. Throws `not_found`, also for another team's.
 */
export function answerApproval(
  db: Database,
  answer: ApprovalAnswer,
  refuse: EndOfCall,
  now: Date,
): Promise<AnswerOutcome> {
  return db.transaction(async (tx) => {
    const found = await lockApproved(tx, answer);
    const [row] = await tx.query<ApprovalRow>(
      `UPDATE tool_approvals SET state = $2, decision = $3, reason = $4, review = $5, edited_args = $6, answered_by = $7,
         answered_at = $8
       WHERE id = $1 AND state = 'pending' AND expires_at > $8
       RETURNING ${COLUMNS}, pg_notify('${TOOLS_CHANNEL}', json_build_object('teamId', team_id, 'sessionId', session_id,
         'callId', call_id, 'approvalId', id)::text)`,
      [
        found.id,
        isYes(answer.decision) ? "granted" : "rejected",
        answer.decision,
        answer.reason,
        answer.review === null ? null : toJsonb(answer.review),
        answer.editedArgs === null ? null : toJsonb(answer.editedArgs),
        answer.answeredBy,
        now,
      ],
    );
    if (row === undefined) return { kind: "too-late", approval: await getApproval(tx, answer.teamId, found.id) };
    if (answer.rule !== null && (answer.decision === "session" || answer.decision === "always")) {
      const sessionId = answer.decision === "session" ? await rootSession(tx, found.sessionId) : null;
      const { teamId, rule, answeredBy } = answer;
      await saveToolRule(tx, { teamId, sessionId, rule, createdBy: answeredBy }, now);
    }
    if (answer.message !== null) {
      await tx.query("INSERT INTO tool_messages (session_id, text, created_at) VALUES ($1, $2, $3)", [
        found.sessionId,
        answer.message,
        now,
      ]);
    }
    if (!isYes(answer.decision)) await endWaiting(tx, found.callId, refuse, now);
    if (answer.decision === "abort") await abortOthers(tx, found, { refuse, answer, now });
    return { kind: "answered", approval: toApproval(row) };
  });
}

/** What is allowed "for this session" to a sub-agent is allowed to the agent it works for, and to its other sub-agents. */
async function rootSession(tx: Transaction, sessionId: string): Promise<string> {
  const [row] = await tx.query<{ root: string }>(
    "SELECT coalesce(parent_id, id) AS root FROM tool_sessions WHERE id = $1",
    [sessionId],
  );
  return row?.root ?? sessionId;
}

/** The approval to be answered, once nothing else can change its call; nor, for `abort`, any other that waits. */
async function lockApproved(tx: Transaction, answer: ApprovalAnswer): Promise<Approval> {
  if (answer.decision === "abort") {
    const found = await getApproval(tx, answer.teamId, answer.approvalId);
    await lockCalls(tx, { sessionId: found.sessionId });
    return found;
  }
  const [row] = await tx.query<ApprovalRow>(
    `WITH locked AS (
       SELECT id FROM tool_calls
       WHERE id = (SELECT call_id FROM tool_approvals WHERE team_id = $1 AND id = $2) FOR UPDATE
     )
     SELECT ${COLUMNS} FROM tool_approvals WHERE team_id = $1 AND id = $2 AND call_id IN (SELECT id FROM locked)`,
    [answer.teamId, answer.approvalId],
  );
  if (row === undefined) throw noApproval(answer.approvalId);
  return toApproval(row);
}

/** Calls are locked before their approvals, here as everywhere: that keeps two changes from waiting for each other. */
async function lockCalls(
  tx: Transaction,
  which: { readonly callId: string } | { readonly sessionId: string },
): Promise<void> {
  if ("callId" in which) await tx.query("SELECT id FROM tool_calls WHERE id = $1 FOR UPDATE", [which.callId]);
  else {
    await tx.query(
      "SELECT id FROM tool_calls WHERE session_id = $1 AND state = 'awaiting-approval' ORDER BY id FOR UPDATE",
      [which.sessionId],
    );
  }
}

async function endWaiting(tx: Transaction, callId: string, end: EndOfCall, now: Date): Promise<void> {
  const call = await getToolCall(tx, callId);
  if (call?.state === "awaiting-approval")
    await endToolCall(tx, { ...end(call), callId, from: ["awaiting-approval"] }, now);
}

async function abortOthers(
  tx: Transaction,
  aborted: Approval,
  by: { readonly refuse: EndOfCall; readonly answer: ApprovalAnswer; readonly now: Date },
): Promise<void> {
  const others = await tx.query<{ call_id: string }>(
    `UPDATE tool_approvals SET state = 'rejected', decision = 'abort', reason = $2, answered_by = $3, answered_at = $4
     WHERE session_id = $1 AND state = 'pending' RETURNING call_id`,
    [aborted.sessionId, by.answer.reason, by.answer.answeredBy, by.now],
  );
  for (const { call_id: callId } of others) await endWaiting(tx, callId, by.refuse, by.now);
}

/** Ends what nobody answered, or nobody came back for, in time, of one session or of all; the ids of the calls that ended by it. */
export async function expireApprovals(
  db: Database,
  lapse: EndOfCall,
  now: Date,
  which: { readonly sessionId?: string | undefined; readonly limit: number },
): Promise<readonly string[]> {
  const due = await db.query<{ call_id: string }>(
    `SELECT call_id FROM tool_approvals WHERE state IN ('pending', 'granted') AND expires_at <= $1
       ${which.sessionId === undefined ? "AND $2::text IS NULL" : "AND session_id = $2"}
     ORDER BY expires_at LIMIT $3`,
    [now, which.sessionId ?? null, which.limit],
  );
  for (const { call_id: callId } of due) {
    await db.transaction(async (tx) => {
      await lockCalls(tx, { callId });
      const rows = await tx.query(
        `UPDATE tool_approvals SET state = 'expired'
         WHERE call_id = $1 AND state IN ('pending', 'granted') AND expires_at <= $2 RETURNING id`,
        [callId, now],
      );
      if (rows.length > 0) await endWaiting(tx, callId, lapse, now);
    });
  }
  return due.map(({ call_id: callId }) => callId);
}

/** One approval of the team; throws `not_found`, also for another team's. */
export async function getApproval(db: Queryable, teamId: string, id: string): Promise<Approval> {
  const [row] = await db.query<ApprovalRow>(`SELECT ${COLUMNS} FROM tool_approvals WHERE team_id = $1 AND id = $2`, [
    teamId,
    id,
  ]);
  if (row === undefined) throw noApproval(id);
  return toApproval(row);
}

function noApproval(id: string): AppError {
  return new AppError("not_found", `there is no approval ${id}`);
}

/** The approval of a call; undefined when it never needed one. */
export async function findApprovalOfCall(db: Queryable, callId: string): Promise<Approval | undefined> {
  const [row] = await db.query<ApprovalRow>(`SELECT ${COLUMNS} FROM tool_approvals WHERE call_id = $1`, [callId]);
  return row === undefined ? undefined : toApproval(row);
}

/** The approval that an InteractionQuery of the session asked for; undefined when there is none of that number. */
export async function findApprovalByQuery(
  db: Queryable,
  where: { readonly teamId: string; readonly sessionId: string; readonly queryNumber: number },
): Promise<Approval | undefined> {
  const [row] = await db.query<ApprovalRow>(
    `SELECT ${COLUMNS} FROM tool_approvals WHERE team_id = $1 AND session_id = $2 AND query_number = $3`,
    [where.teamId, where.sessionId, where.queryNumber],
  );
  return row === undefined ? undefined : toApproval(row);
}

/** Which approvals to list. Internal calls' are left out. */
export interface ApprovalQuestion {
  readonly teamId: string;
  readonly states?: readonly ApprovalState[] | undefined;
  readonly sessionId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** The team's inbox, newest first. Of one session: also what its sub-agents ask. */
export async function listApprovals(db: Queryable, question: ApprovalQuestion): Promise<Page<Approval>> {
  const [before] = question.cursor === undefined ? [] : decodeCursor(question.cursor, 1);
  const rows = await db.query<ApprovalRow>(
    `SELECT ${COLUMNS} FROM tool_approvals
     WHERE team_id = $1 AND NOT is_internal AND ($2::text[] IS NULL OR state = ANY ($2))
       AND ($3::text IS NULL OR session_id = $3
         OR session_id IN (SELECT id FROM tool_sessions WHERE parent_id = $3)) AND ($4::text IS NULL OR id < $4)
     ORDER BY id DESC LIMIT $5`,
    [question.teamId, question.states ?? null, question.sessionId ?? null, before ?? null, question.limit + 1],
  );
  return toPage(rows.map(toApproval), question.limit, ({ id }) => [id]);
}

const COLUMNS = `id, team_id, session_id, call_id, tool_call_id, tool, query_number, args, args_hash, question, is_internal,
  state, decision, reason, review, edited_args, answered_by, created_at, expires_at, answered_at,
  (SELECT caller FROM tool_calls WHERE tool_calls.id = call_id) AS caller`;

interface ApprovalRow {
  readonly id: string;
  readonly team_id: string;
  readonly session_id: string;
  readonly call_id: string;
  readonly tool_call_id: string;
  readonly tool: string;
  readonly query_number: number;
  readonly args: Json;
  readonly args_hash: string;
  readonly question: Json;
  readonly is_internal: boolean;
  readonly state: ApprovalState;
  readonly decision: ApprovalDecision | null;
  readonly reason: string | null;
  readonly review: Json | null;
  readonly edited_args: Json | null;
  readonly answered_by: string | null;
  readonly caller: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly answered_at: Date | null;
}

function toApproval(row: ApprovalRow): Approval {
  return {
    id: row.id,
    teamId: row.team_id,
    sessionId: row.session_id,
    callId: row.call_id,
    toolCallId: row.tool_call_id,
    tool: row.tool,
    queryNumber: row.query_number,
    args: row.args,
    argsHash: row.args_hash,
    question: row.question,
    isInternal: row.is_internal,
    state: row.state,
    decision: row.decision,
    reason: row.reason,
    review: row.review,
    editedArgs: row.edited_args,
    answeredBy: row.answered_by,
    caller: row.caller,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    answeredAt: row.answered_at,
  };
}
