import type { Queryable } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";

/** NOTIFY channel that says: the writer of the index has a task. */
export const INDEX_TASK_CHANNEL = "index_tasks";

/** What people may ask of the writer of the index. */
export const INDEX_TASK_KINDS = ["optimize", "verify", "rebuild"] as const;
export type IndexTaskKind = (typeof INDEX_TASK_KINDS)[number];

/** A task for whoever writes the index; it may be another process. */
export interface IndexTask {
  readonly id: string;
  readonly kind: IndexTaskKind;
  readonly state: "queued" | "running" | "done" | "failed";
  readonly report: Json;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** Asks for something to be done; asked for twice with one id, it is done once. */
export async function createIndexTask(
  db: Queryable,
  { id, kind, now }: { readonly id: string; readonly kind: IndexTaskKind; readonly now: Date },
): Promise<void> {
  await db.query("DELETE FROM index_tasks WHERE finished_at < $1::timestamptz - interval '30 days'", [now]);
  await db.query("INSERT INTO index_tasks (id, kind, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING", [
    id,
    kind,
    now,
  ]);
  await db.query(`SELECT pg_notify('${INDEX_TASK_CHANNEL}', '')`);
}

/** How a task does. */
export async function findIndexTask(db: Queryable, id: string): Promise<IndexTask | undefined> {
  const rows = await db.query<TaskRow>("SELECT * FROM index_tasks WHERE id = $1", [id]);
  return rows.map(toTask)[0];
}

/** The oldest task that is not finished, from here on running: also one whose process died over it. */
export async function beginIndexTask(db: Queryable): Promise<IndexTask | undefined> {
  const rows = await db.query<TaskRow>(
    `UPDATE index_tasks SET state = 'running' WHERE id = (
       SELECT id FROM index_tasks WHERE state IN ('queued', 'running') ORDER BY created_at, id LIMIT 1)
     RETURNING *`,
  );
  return rows.map(toTask)[0];
}

/** Records what became of a task. */
export async function finishIndexTask(
  db: Queryable,
  id: string,
  outcome: { readonly report: Json } | { readonly error: string },
): Promise<void> {
  const report = "report" in outcome ? toJsonb(outcome.report) : null;
  const error = "error" in outcome ? outcome.error : null;
  await db.query(
    `UPDATE index_tasks SET state = CASE WHEN $3::text IS NULL THEN 'done' ELSE 'failed' END, report = $2, error = $3,
       finished_at = now()
     WHERE id = $1`,
    [id, report, error],
  );
}

interface TaskRow {
  readonly id: string;
  readonly kind: IndexTaskKind;
  readonly state: IndexTask["state"];
  readonly report: Json;
  readonly error: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

function toTask({ created_at: createdAt, finished_at: finishedAt, ...rest }: TaskRow): IndexTask {
  return { ...rest, createdAt, finishedAt };
}
