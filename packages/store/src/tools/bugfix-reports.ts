import { makeId } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { cleanText } from "./agent-tasks.ts";

/** What an agent says became of the bugs it was to fix. */
export interface BugfixReport {
  readonly summary: string;
  readonly results: Json;
  readonly createdAt: Date;
}

/** Keeps a report; that of the same call again is kept once. */
export async function addBugfixReport(
  db: Queryable,
  report: {
    readonly teamId: string;
    readonly sessionId: string;
    readonly toolCallId: string;
    readonly summary: string;
    readonly results: Json;
  },
  now: Date,
): Promise<void> {
  const { teamId, sessionId, toolCallId, summary, results } = report;
  await db.query(
    `INSERT INTO agent_bugfix_reports (id, team_id, session_id, tool_call_id, summary, results, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (session_id, tool_call_id) DO NOTHING`,
    [makeId("report", now), teamId, sessionId, toolCallId, cleanText(summary), toJsonb(results), now],
  );
}

/** A session's reports, oldest first. */
export async function listBugfixReports(
  db: Queryable,
  key: { readonly teamId: string; readonly sessionId: string },
): Promise<readonly BugfixReport[]> {
  const rows = await db.query<{ summary: string; results: Json; created_at: Date }>(
    "SELECT summary, results, created_at FROM agent_bugfix_reports WHERE team_id = $1 AND session_id = $2 ORDER BY id",
    [key.teamId, key.sessionId],
  );
  return rows.map(({ summary, results, created_at: createdAt }) => ({ summary, results, createdAt }));
}
