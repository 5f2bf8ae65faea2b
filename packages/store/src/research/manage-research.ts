import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { cancelJob } from "../jobs/cancel-jobs.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { dropCitations } from "../retention/cite-snapshots.ts";
import { RESEARCH_CHANNEL } from "./research-events.ts";
import { isResearchFinished, moveResearch, type ResearchMove } from "./research-state.ts";
import { RESEARCH_COLUMNS, toResearch, type Research, type ResearchRow } from "./research.ts";

/** The kind of the jobs that work on research tasks; the payload is `{researchId}`. */
export const RESEARCH_JOB = "research";

/** A worker that dies under a task is no fault of the task: it may lose many. */
const RESEARCH_ATTEMPTS = 1_000;

/** Makes a task and its job in one transaction; at most `maxRunning` tasks of a key run at once. The same id again changes nothing. */
export function createResearch(
  db: Database,
  research: Pick<Research, "id" | "teamId" | "keyId" | "model" | "instructions" | "outputSchema"> & {
    readonly request?: Json;
  },
  options: { readonly maxRunning: number; readonly now: Date },
): Promise<Research> {
  return db.transaction(async (tx) => {
    const { id, teamId, keyId, model, instructions, outputSchema, request = null } = research;
    const [made] = await tx.query<{ id: string }>(
      `INSERT INTO research (id, team_id, key_id, model, instructions, output_schema, request, status, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8) ON CONFLICT (id) DO NOTHING RETURNING id`,
      [
        id,
        teamId,
        keyId,
        model,
        instructions,
        outputSchema === null ? null : JSON.stringify(outputSchema),
        request === null ? null : toJsonb(request),
        options.now,
      ],
    );
    if (made !== undefined) {
      const job = await enqueueJob(tx, {
        kind: RESEARCH_JOB,
        teamId,
        payload: { researchId: id },
        key: `${request === null ? "research" : "agent"}:${keyId ?? teamId}`,
        maxPerKey: options.maxRunning,
        maxAttempts: RESEARCH_ATTEMPTS,
      });
      await tx.query("UPDATE research SET job_id = $2 WHERE id = $1", [id, job.id]);
    }
    return getResearch(tx, teamId, id);
  });
}

/** One task of the team; throws `not_found`, also for another team's. */
export async function getResearch(db: Queryable, teamId: string, id: string): Promise<Research> {
  const [row] = await db.query<ResearchRow>(`SELECT ${RESEARCH_COLUMNS} FROM research WHERE id = $1`, [id]);
  if (row?.team_id !== teamId) throw new AppError("not_found", "there is no research with this id");
  return toResearch(row);
}

/** The team's tasks of a kind, newest first. */
export async function listResearch(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly kind?: "research" | "agent" },
): Promise<Page<Research>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<ResearchRow>(
    `SELECT ${RESEARCH_COLUMNS} FROM research WHERE team_id = $1 AND ($2::text IS NULL OR id < $2)
       AND (request IS NOT NULL) = $4
     ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1, page.kind === "agent"],
  );
  return toPage(rows.map(toResearch), page.limit, ({ id }) => [id]);
}

/** Ends a task on someone's word; one that has ended already stays as it is. */
export function cancelResearch(db: Database, teamId: string, id: string, now: Date): Promise<Research> {
  return db.transaction(async (tx) => {
    await getResearch(tx, teamId, id);
    const research = await lockResearch(tx, id);
    if (isResearchFinished(research.status)) return research;
    if (research.jobId !== null) await cancelJob(tx, research.jobId);
    return (await moveResearchBy(tx, id, { move: "cancel", now })) ?? research;
  });
}

/** Asks a task to conclude with what it has; one that has ended stays as it is. */
export function stopResearch(db: Database, teamId: string, id: string, now: Date): Promise<Research> {
  return db.transaction(async (tx) => {
    await getResearch(tx, teamId, id);
    const research = await lockResearch(tx, id);
    if (isResearchFinished(research.status) || research.stopAskedAt !== null) return research;
    await tx.query("UPDATE research SET stop_asked_at = $2 WHERE id = $1", [id, now]);
    return { ...research, stopAskedAt: now };
  });
}

/**
 * Adds a further wish to a task that is not over; the run takes it up with its next plan. The same wish again changes
 * nothing. Throws `conflict` for one that has ended, `invalid_request` when it would become too long.
 */
export function steerResearch(
  db: Database,
  teamId: string,
  id: string,
  wish: { readonly text: string; readonly maxCharacters: number },
): Promise<Research> {
  return db.transaction(async (tx) => {
    await getResearch(tx, teamId, id);
    const research = await lockResearch(tx, id);
    if (research.instructions.endsWith(`\n\n${wish.text}`)) return research;
    if (isResearchFinished(research.status)) {
      throw new AppError("conflict", "the research has ended: begin a new one with the further wish");
    }
    const instructions = `${research.instructions}\n\n${wish.text}`;
    if (instructions.length > wish.maxCharacters) {
      throw new AppError(
        "invalid_request",
        `instructions: all wishes together have at most ${wish.maxCharacters} characters`,
      );
    }
    await tx.query("UPDATE research SET instructions = $2 WHERE id = $1", [id, instructions]);
    return { ...research, instructions };
  });
}

/** Deletes a task with its events; ends it first when it is under way. */
export function deleteResearch(db: Database, teamId: string, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    await getResearch(tx, teamId, id);
    const research = await lockResearch(tx, id);
    if (research.jobId !== null && !isResearchFinished(research.status)) await cancelJob(tx, research.jobId);
    await dropCitations(tx, { kind: "research", id });
    await tx.query("DELETE FROM research WHERE id = $1", [id]);
    await tx.query("SELECT pg_notify($1, $2)", [RESEARCH_CHANNEL, id]);
  });
}

/** Moves a task in its job's transaction; undefined when its status no longer allows it. Locks the row. */
export async function moveResearchBy(
  tx: Transaction,
  id: string,
  change: {
    readonly move: ResearchMove;
    readonly output?: Json;
    readonly error?: string | undefined;
    readonly now: Date;
  },
): Promise<Research | undefined> {
  const research = await lockResearch(tx, id);
  const status = moveResearch(research.status, change.move);
  if (status === undefined) return undefined;
  const [row] = await tx.query<ResearchRow>(
    `UPDATE research SET status = $2, output = coalesce($3, output), error = coalesce($4, error),
       started_at = CASE WHEN $2 = 'running' THEN coalesce(started_at, $5) ELSE started_at END,
       finished_at = CASE WHEN $6 THEN $5 ELSE NULL END
     WHERE id = $1 RETURNING ${RESEARCH_COLUMNS}`,
    [
      id,
      status,
      change.output === undefined ? null : toJsonb(change.output),
      change.error ?? null,
      change.now,
      isResearchFinished(status),
    ],
  );
  await tx.query("SELECT pg_notify($1, $2)", [RESEARCH_CHANNEL, id]);
  return row === undefined ? undefined : toResearch(row);
}

async function lockResearch(tx: Transaction, id: string): Promise<Research> {
  const [row] = await tx.query<ResearchRow>(`SELECT ${RESEARCH_COLUMNS} FROM research WHERE id = $1 FOR UPDATE`, [id]);
  if (row === undefined) throw new AppError("not_found", "there is no research with this id");
  return toResearch(row);
}
