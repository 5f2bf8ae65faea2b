import { AppError } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { RULE_COLUMNS, toSavedRule, type SavedRule, type SavedRuleRow } from "./tool-rules.ts";
import { SESSION_COLUMNS, toSession, type SessionRow, type ToolSession } from "./tool-sessions.ts";

/** What a call is judged by: its session and the rules saved for it. */
export interface CallContext {
  readonly session: ToolSession;
  readonly rules: readonly SavedRule[];
  /**
   * Another as soon as anything changed that a verdict may depend on. Who judged
   * by a context that was kept for a while hands this to `acceptToolCall`.
   */
  readonly version: string;
}

/** Reads it in one round trip; throws `not_found`, also for another team's session. */
export async function readCallContext(db: Queryable, teamId: string, sessionId: string): Promise<CallContext> {
  const [row] = await db.query<SessionRow & { readonly version: string; readonly rules: readonly SavedRuleJson[] }>(
    `SELECT ${SESSION_COLUMNS}, ${contextVersion("s")} AS version,
       (SELECT coalesce(json_agg(row_to_json(r)), '[]') FROM
         (SELECT ${RULE_COLUMNS} FROM tool_rules
          WHERE team_id = s.team_id AND (session_id IS NULL OR session_id IN (s.id, s.parent_id)) ORDER BY id) r) AS rules
     FROM tool_sessions s WHERE team_id = $1 AND id = $2`,
    [teamId, sessionId],
  );
  if (row === undefined) throw new AppError("not_found", `there is no session ${sessionId}; make one or leave it out`);
  const rules = row.rules.map((rule) => toSavedRule({ ...rule, created_at: new Date(rule.created_at) }));
  return { session: toSession(row), rules, version: row.version };
}

/** SQL that names the state of a session and its rules, of the row `session` of tool_sessions. */
export function contextVersion(session: string): string {
  return `md5(concat_ws('|', ${session}.mode, ${session}.workspace_root, ${session}.machine, ${session}.closed_at,
    (SELECT string_agg(rule.id, ',' ORDER BY rule.id) FROM tool_rules rule
     WHERE rule.team_id = ${session}.team_id 
       AND (rule.session_id IS NULL OR rule.session_id IN (${session}.id, ${session}.parent_id)))))`;
}

/** Times inside JSON are texts. */
type SavedRuleJson = Omit<SavedRuleRow, "created_at"> & { readonly created_at: string };
