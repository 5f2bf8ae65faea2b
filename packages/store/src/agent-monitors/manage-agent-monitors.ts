import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import { dropCitations } from "../retention/cite-snapshots.ts";
import {
  AGENT_MONITOR_COLUMNS,
  toAgentMonitor,
  type AgentMonitor,
  type AgentMonitorEntity,
  type AgentMonitorRow,
} from "./agent-monitor.ts";

/** The kind of the jobs that refresh some entities of a monitor; the payload is `{monitorId}`. */
export const AGENT_MONITOR_JOB = "agent-monitor";
/** What cites the snapshots that a monitor's contents quote. */
export const AGENT_MONITOR_CITER = "agent_monitor";

/** A worker that dies is no fault of the monitor. */
const ATTEMPTS = 1_000;

/** What a new entity is made of. */
export type NewAgentMonitorEntity = Pick<AgentMonitorEntity, "id" | "name" | "domain" | "description">;

/** Makes a monitor with its entities; its first refresh is due now. The same id again changes nothing. */
export function createAgentMonitor(
  db: Database,
  monitor: Pick<AgentMonitor, "id" | "teamId" | "cadence" | "fields"> & {
    readonly entities: readonly NewAgentMonitorEntity[];
  },
  now: Date,
): Promise<AgentMonitor> {
  const { id, teamId, cadence, fields, entities } = monitor;
  return db.transaction(async (tx) => {
    const made = await tx.query(
      `INSERT INTO agent_monitors (id, team_id, cadence, fields, next_refresh_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (id) DO NOTHING RETURNING 1`,
      [id, teamId, cadence, toJsonb(fields as unknown as Json), now],
    );
    if (made.length === 1) {
      await insertEntities(tx, id, entities, now);
      await enqueueRefresh(tx, { id, teamId });
    }
    return getAgentMonitor(tx, teamId, id);
  });
}

/**
 * Adds entities, to be looked at soon; those whose domain is watched already stay as they are. Throws `invalid_request` when there
 * would be more than `max`.
 */
export function addAgentMonitorEntities(
  db: Database,
  place: { readonly teamId: string; readonly id: string; readonly max: number },
  entities: readonly NewAgentMonitorEntity[],
  now: Date,
): Promise<AgentMonitor> {
  const { teamId, id, max } = place;
  return db.transaction(async (tx) => {
    await lockAgentMonitor(tx, id);
    await getAgentMonitor(tx, teamId, id);
    await insertEntities(tx, id, entities, now);
    const after = await getAgentMonitor(tx, teamId, id);
    if (after.entityCount > max) {
      const message = `entities: a monitor watches at most ${max}, and these would make ${after.entityCount}`;
      throw new AppError("invalid_request", message, { details: { field: "entities" } });
    }
    await enqueueRefresh(tx, after);
    return after;
  });
}

async function insertEntities(
  tx: Transaction,
  monitorId: string,
  entities: readonly NewAgentMonitorEntity[],
  now: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO agent_monitor_entities (id, monitor_id, name, domain, description, updated_at)
     SELECT id, $1, name, domain, description, $3
     FROM ROWS FROM (jsonb_to_recordset($2) AS (id text, name text, domain text, description text))
       WITH ORDINALITY ORDER BY ordinality
     ON CONFLICT (monitor_id, domain) DO NOTHING`,
    [monitorId, toJsonb(entities), now],
  );
}

/** Has a monitor looked at, now or at a time. */
export async function enqueueRefresh(
  tx: Queryable,
  monitor: Pick<AgentMonitor, "id" | "teamId">,
  runAt?: Date,
): Promise<void> {
  await enqueueJob(tx, {
    kind: AGENT_MONITOR_JOB,
    teamId: monitor.teamId,
    payload: { monitorId: monitor.id },
    key: `agent-monitor:${monitor.id}`,
    maxPerKey: 1,
    maxAttempts: ATTEMPTS,
    // A job that waits for its time must not be taken for one that is to run now.
    dedupeKey: `${monitor.id} ${runAt?.toISOString() ?? "now"}`,
    runAt,
  });
}

/** One monitor of the team; throws `not_found`, also for another team's. */
export async function getAgentMonitor(db: Queryable, teamId: string, id: string): Promise<AgentMonitor> {
  const monitor = await findAgentMonitor(db, id);
  if (monitor?.teamId === teamId) return monitor;
  throw new AppError("not_found", "there is no agent monitor with this id", {
    details: { agentCode: "MONITOR_NOT_FOUND" },
  });
}

/** One monitor of whichever team, for its job. */
export async function findAgentMonitor(db: Queryable, id: string): Promise<AgentMonitor | undefined> {
  const [row] = await db.query<AgentMonitorRow>(
    `SELECT ${AGENT_MONITOR_COLUMNS} FROM agent_monitors AS monitor WHERE id = $1`,
    [id],
  );
  return row === undefined ? undefined : toAgentMonitor(row);
}

/** The team's monitors, newest first. */
export async function listAgentMonitors(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<AgentMonitor>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<AgentMonitorRow>(
    `SELECT ${AGENT_MONITOR_COLUMNS} FROM agent_monitors AS monitor
     WHERE team_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toAgentMonitor), page.limit, ({ id }) => [id]);
}

/** Deletes a monitor and all it knows; jobs of it find nothing to do. */
export function deleteAgentMonitor(db: Database, teamId: string, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    await lockAgentMonitor(tx, id);
    await getAgentMonitor(tx, teamId, id);
    await dropCitations(tx, { kind: AGENT_MONITOR_CITER, id });
    await tx.query("DELETE FROM agent_monitors WHERE id = $1", [id]);
  });
}

/** Locks a monitor until the transaction ends; whether it is there. */
export async function lockAgentMonitor(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.query("SELECT 1 FROM agent_monitors WHERE id = $1 FOR UPDATE", [id])).length === 1;
}
