import { makeId } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import { cleanText } from "./agent-tasks.ts";

/** A plan of a session: one text with front matter. */
export interface AgentPlan {
  readonly id: string;
  readonly fileName: string;
  readonly name: string;
  readonly text: string;
  readonly updatedAt: Date;
}

/** Keeps a new plan, which is then the session's current one. */
export async function addAgentPlan(
  db: Queryable,
  plan: {
    readonly teamId: string;
    readonly sessionId: string;
    readonly fileName: string;
    readonly name: string;
    readonly text: string;
  },
  now: Date,
): Promise<AgentPlan> {
  const [row] = await db.query<PlanRow>(
    `INSERT INTO agent_plans (id, team_id, session_id, file_name, name, text, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING ${COLUMNS}`,
    [makeId("plan", now), plan.teamId, plan.sessionId, plan.fileName, cleanText(plan.name), cleanText(plan.text), now],
  );
  if (row === undefined) throw new Error("one plan in, none out");
  return toPlan(row);
}

/** The plan a session worked on last, or the one of that name; undefined when there is none. */
export async function findAgentPlan(
  db: Queryable,
  key: { readonly teamId: string; readonly sessionId: string; readonly name?: string | undefined },
): Promise<AgentPlan | undefined> {
  const [row] = await db.query<PlanRow>(FIND, [key.teamId, key.sessionId, key.name ?? null]);
  return row === undefined ? undefined : toPlan(row);
}

/** Changes a plan by what it was, with nobody else in between. Undefined when there is none; throws what `change` throws. */
export function changeAgentPlan(
  db: Database,
  key: { readonly teamId: string; readonly sessionId: string; readonly name?: string | undefined },
  change: (text: string) => string,
  now: Date,
): Promise<AgentPlan | undefined> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<PlanRow>(`${FIND} FOR UPDATE`, [key.teamId, key.sessionId, key.name ?? null]);
    if (row === undefined) return undefined;
    const [changed] = await tx.query<PlanRow>(
      `UPDATE agent_plans SET text = $2, updated_at = $3, revision = DEFAULT WHERE id = $1 RETURNING ${COLUMNS}`,
      [row.id, cleanText(change(row.text)), now],
    );
    return changed === undefined ? undefined : toPlan(changed);
  });
}

const COLUMNS = "id, file_name, name, text, updated_at";
const FIND = `SELECT ${COLUMNS} FROM agent_plans
  WHERE team_id = $1 AND session_id = $2 AND ($3::text IS NULL OR name = $3) ORDER BY revision DESC LIMIT 1`;

interface PlanRow {
  readonly id: string;
  readonly file_name: string;
  readonly name: string;
  readonly text: string;
  readonly updated_at: Date;
}

function toPlan(row: PlanRow): AgentPlan {
  return { id: row.id, fileName: row.file_name, name: row.name, text: row.text, updatedAt: row.updated_at };
}
