import { AppError } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";

/** The NOTIFY channel that tells of news in a research task; the payload is its id. */
export const RESEARCH_CHANNEL = "quarry_research";

/** An event of a run: what the wire shows, and what the run must remember of it beside that. */
export interface NewResearchEvent {
  readonly event: Json;
  readonly memory?: Json;
}

/** An event as it stands in the run. */
export interface StoredResearchEvent {
  /** 0, 1, 2 … within the run. */
  readonly number: number;
  readonly event: Json;
  readonly memory: Json;
  readonly createdAt: Date;
}

/**
 * Appends events to a run that has `known` of them. Throws `conflict` when another worker has gone on in the meantime, or
 * the task is no longer running: then nothing of this operation counts.
 */
export async function appendResearchEvents(
  tx: Transaction,
  researchId: string,
  known: number,
  events: readonly NewResearchEvent[],
  now: Date,
): Promise<void> {
  const [open] = await tx.query<{ readonly count: number }>(
    `SELECT (SELECT count(*) FROM research_events WHERE research_id = $1) AS count
     FROM research WHERE id = $1 AND status = 'running' FOR UPDATE`,
    [researchId],
  );
  if (open?.count !== known) throw new AppError("conflict", "the research has gone on, or ended, without this worker");
  await tx.query(
    `INSERT INTO research_events (research_id, number, event, memory, created_at)
     SELECT $1, $2 + place - 1, given.entry -> 'event', given.entry -> 'memory', $4
     FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS given (entry, place)`,
    [researchId, known, toJsonb(events.map(({ event, memory }) => ({ event, memory: memory ?? null }))), now],
  );
  await tx.query("SELECT pg_notify($1, $2)", [RESEARCH_CHANNEL, researchId]);
}

/** The events of a run from number `from` on, in order. */
export async function listResearchEvents(
  db: Queryable,
  researchId: string,
  from = 0,
): Promise<readonly StoredResearchEvent[]> {
  const rows = await db.query<{
    readonly number: number;
    readonly event: Json;
    readonly memory: Json;
    readonly created_at: Date;
  }>(
    "SELECT number, event, memory, created_at FROM research_events WHERE research_id = $1 AND number >= $2 ORDER BY number",
    [researchId, from],
  );
  return rows.map(({ number, event, memory, created_at: createdAt }) => ({ number, event, memory, createdAt }));
}
