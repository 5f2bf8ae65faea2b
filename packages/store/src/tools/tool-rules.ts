import { makeId } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { notifyContextChange } from "./tools-channel.ts";

/** A rule that an answer saved: for one session, or for good. */
export interface SavedRule {
  readonly id: string;
  readonly sessionId: string | null;
  readonly rule: Json;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** Saves a rule; the same rule again is kept once. */
export async function saveToolRule(
  db: Queryable,
  saved: {
    readonly teamId: string;
    readonly sessionId: string | null;
    readonly rule: Json;
    readonly createdBy: string;
  },
  now: Date,
): Promise<void> {
  await db.query(
    `INSERT INTO tool_rules (id, team_id, session_id, rule, created_by, created_at)
     SELECT $1, $2, $3, $4::jsonb, $5, $6
     WHERE NOT EXISTS (
       SELECT FROM tool_rules WHERE team_id = $2 AND session_id IS NOT DISTINCT FROM $3 AND rule = $4::jsonb)`,
    [makeId("rule", now), saved.teamId, saved.sessionId, toJsonb(saved.rule), saved.createdBy, now],
  );
  await notifyContextChange(db, saved.teamId, saved.sessionId);
}

/** The rules that hold in a session: its own and the lasting ones of the team. */
export async function listToolRules(
  db: Queryable,
  teamId: string,
  sessionId: string | undefined,
): Promise<readonly SavedRule[]> {
  const rows = await db.query<SavedRuleRow>(
    `SELECT ${RULE_COLUMNS} FROM tool_rules
     WHERE team_id = $1 AND (session_id IS NULL OR session_id = $2) ORDER BY id`,
    [teamId, sessionId ?? null],
  );
  return rows.map(toSavedRule);
}

/** Forgets a lasting rule; false when the team has none by that id. */
export async function deleteToolRule(db: Queryable, teamId: string, id: string): Promise<boolean> {
  const rows = await db.query("DELETE FROM tool_rules WHERE team_id = $1 AND id = $2 RETURNING id", [teamId, id]);
  if (rows.length > 0) await notifyContextChange(db, teamId, null);
  return rows.length > 0;
}

/** The columns of a SavedRuleRow. */
export const RULE_COLUMNS = "id, session_id, rule, created_by, created_at";

/** A rule as the database has it. */
export interface SavedRuleRow {
  readonly id: string;
  readonly session_id: string | null;
  readonly rule: Json;
  readonly created_by: string;
  readonly created_at: Date;
}

/** A rule from its row. */
export function toSavedRule(row: SavedRuleRow): SavedRule {
  return {
    id: row.id,
    sessionId: row.session_id,
    rule: row.rule,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
