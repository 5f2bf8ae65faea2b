import { makeId } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import { cleanText } from "./agent-tasks.ts";

/** Something that agents of a team want to know later. */
export interface Knowledge {
  readonly id: string;
  readonly workspaceRoot: string;
  readonly title: string;
  readonly text: string;
  readonly updatedAt: Date;
}

/** Keeps an entry; undefined when the team has `maxEntries` already. */
export function addKnowledge(
  db: Database,
  entry: { readonly teamId: string; readonly workspaceRoot: string; readonly title: string; readonly text: string },
  maxEntries: number,
  now: Date,
): Promise<Knowledge | undefined> {
  return db.transaction(async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`agent_knowledge ${entry.teamId}`]);
    const [row] = await tx.query<KnowledgeRow>(
      `INSERT INTO agent_knowledge (id, team_id, workspace_root, title, text, created_at, updated_at)
       SELECT $1, $2, $3, $4, $5, $6, $6 WHERE (SELECT count(*) FROM agent_knowledge WHERE team_id = $2) < $7
       RETURNING ${COLUMNS}`,
      [
        makeId("knowledge", now),
        entry.teamId,
        entry.workspaceRoot,
        cleanText(entry.title),
        cleanText(entry.text),
        now,
        maxEntries,
      ],
    );
    return row === undefined ? undefined : toKnowledge(row);
  });
}

/** Changes an entry; an empty title keeps the old one. Undefined when the team has none by that id. */
export async function updateKnowledge(
  db: Queryable,
  key: { readonly teamId: string; readonly id: string },
  change: { readonly title: string; readonly text: string },
  now: Date,
): Promise<Knowledge | undefined> {
  const [row] = await db.query<KnowledgeRow>(
    `UPDATE agent_knowledge SET title = coalesce(nullif($3, ''), title), text = $4, updated_at = $5
     WHERE team_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [key.teamId, key.id, cleanText(change.title), cleanText(change.text), now],
  );
  return row === undefined ? undefined : toKnowledge(row);
}

/** Forgets an entry and gives it back; undefined when the team has none by that id. */
export async function deleteKnowledge(
  db: Queryable,
  key: { readonly teamId: string; readonly id: string },
): Promise<Knowledge | undefined> {
  const [row] = await db.query<KnowledgeRow>(
    `DELETE FROM agent_knowledge WHERE team_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [key.teamId, key.id],
  );
  return row === undefined ? undefined : toKnowledge(row);
}

/** What the team's agents know, newest first. */
export async function listKnowledge(db: Queryable, teamId: string, limit: number): Promise<readonly Knowledge[]> {
  const rows = await db.query<KnowledgeRow>(
    `SELECT ${COLUMNS} FROM agent_knowledge WHERE team_id = $1 ORDER BY id DESC LIMIT $2`,
    [teamId, limit],
  );
  return rows.map(toKnowledge);
}

const COLUMNS = "id, workspace_root, title, text, updated_at";

interface KnowledgeRow {
  readonly id: string;
  readonly workspace_root: string;
  readonly title: string;
  readonly text: string;
  readonly updated_at: Date;
}

function toKnowledge(row: KnowledgeRow): Knowledge {
  return {
    id: row.id,
    workspaceRoot: row.workspace_root,
    title: row.title,
    text: row.text,
    updatedAt: row.updated_at,
  };
}
