import type { Queryable } from "../database.ts";

/**
 * The NOTIFY channel that tells of answered approvals, ended calls that someone waits for and changed
 * sessions or rules; the payload is `{teamId, sessionId, callId, approvalId, state?}`
 * as JSON, null where it is about no such thing; `state` is the call's.
 */
export const TOOLS_CHANNEL = "quarry_tools";

/** Tells that a session, or with null the rules of a whole team, changed. */
export async function notifyContextChange(db: Queryable, teamId: string, sessionId: string | null): Promise<void> {
  const payload = JSON.stringify({ teamId, sessionId, callId: null, approvalId: null });
  await db.query("SELECT pg_notify($1, $2)", [TOOLS_CHANNEL, payload]);
}
