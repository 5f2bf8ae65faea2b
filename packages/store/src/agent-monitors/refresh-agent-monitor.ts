import type { Queryable, Transaction } from "../database.ts";
import { toJsonb, type Json } from "../jsonb.ts";
import type { AgentMonitorCitation, AgentMonitorContent, AgentMonitorEntity } from "./agent-monitor.ts";

/** Begins a refresh of a monitor that has none under way. */
export async function beginAgentRefresh(db: Queryable, id: string, now: Date): Promise<void> {
  await db.query(
    "UPDATE agent_monitors SET refresh_started_at = $2, refresh_tokens = 0 WHERE id = $1 AND refresh_started_at IS NULL",
    [id, now],
  );
}

/** Entities that nobody has looked at since `before`, in their order. */
export async function listStaleEntities(
  db: Queryable,
  monitorId: string,
  wanted: { readonly before: Date | null; readonly limit: number },
): Promise<readonly AgentMonitorEntity[]> {
  const rows = await db.query<EntityRow>(
    `SELECT id, sequence, name, domain, description, refreshed_at FROM agent_monitor_entities
     WHERE monitor_id = $1 AND (refreshed_at IS NULL OR refreshed_at < $2) ORDER BY sequence LIMIT $3`,
    [monitorId, wanted.before, wanted.limit],
  );
  return rows.map(toEntity);
}

/** What is known of these entities, by the entity's id. */
export async function readAgentContents(
  db: Queryable,
  entityIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AgentMonitorContent[]>> {
  const rows = await db.query<ContentRow>(
    "SELECT entity_id, field_id, value, citations, updated_at FROM agent_monitor_contents WHERE entity_id = ANY($1)",
    [entityIds],
  );
  return group(rows);
}

/** What a refresh found of an entity's field. */
export interface FoundContent {
  readonly fieldId: string;
  readonly value: Json;
  readonly citations: readonly AgentMonitorCitation[];
}

/**
 * Keeps what was found of an entity and that it was looked at. A content whose value is new has the monitor's next version. The
 * monitor must be locked.
 */
export async function keepAgentContents(
  tx: Transaction,
  place: { readonly monitorId: string; readonly entityId: string },
  found: readonly FoundContent[],
  now: Date,
): Promise<void> {
  const { monitorId, entityId } = place;
  for (const { fieldId, value, citations } of found) {
    const written = await tx.query(
      `INSERT INTO agent_monitor_contents AS old (entity_id, field_id, value, citations, updated_at)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (entity_id, field_id) DO UPDATE SET value = excluded.value, citations = excluded.citations,
         updated_at = excluded.updated_at
       WHERE old.value <> excluded.value RETURNING 1`,
      [entityId, fieldId, toJsonb(value), toJsonb(citations as unknown as Json), now],
    );
    if (written.length === 0) continue;
    await tx.query(
      `WITH next AS (UPDATE agent_monitors SET version = version + 1 WHERE id = $1 RETURNING version)
       INSERT INTO agent_monitor_changes (monitor_id, version, entity_id, field_id, value, citations, created_at)
       SELECT $1, version, $2, $3, $4, $5, $6 FROM next`,
      [monitorId, entityId, fieldId, toJsonb(value), toJsonb(citations as unknown as Json), now],
    );
    await tx.query("UPDATE agent_monitor_entities SET updated_at = $2 WHERE id = $1", [entityId, now]);
  }
  await tx.query("UPDATE agent_monitor_entities SET refreshed_at = $2 WHERE id = $1", [entityId, now]);
}

/** Adds to the tokens that a monitor's refresh used. */
export async function addAgentTokens(tx: Transaction, id: string, tokens: number): Promise<void> {
  if (tokens === 0) return;
  await tx.query(
    "UPDATE agent_monitors SET total_tokens = total_tokens + $2, refresh_tokens = refresh_tokens + $2 WHERE id = $1",
    [id, tokens],
  );
}

/** Ends a refresh, and says when the next is due. */
export async function endAgentRefresh(
  tx: Transaction,
  id: string,
  times: { readonly now: Date; readonly nextRefreshAt: Date },
): Promise<void> {
  await tx.query(
    `UPDATE agent_monitors SET refresh_started_at = NULL, last_refresh_at = $2, next_refresh_at = $3,
       last_refresh_tokens = refresh_tokens WHERE id = $1`,
    [id, times.now, times.nextRefreshAt],
  );
}

interface EntityRow {
  readonly id: string;
  readonly sequence: string;
  readonly name: string;
  readonly domain: string;
  readonly description: string | null;
  readonly refreshed_at: Date | null;
}

/** Reads a row of `agent_monitor_entities`. */
export function toEntity({ sequence, refreshed_at: refreshedAt, ...row }: EntityRow): AgentMonitorEntity {
  return { ...row, sequence: Number(sequence), refreshedAt };
}

interface ContentRow {
  readonly entity_id: string;
  readonly field_id: string;
  readonly value: Json;
  readonly citations: readonly AgentMonitorCitation[];
  readonly updated_at: Date;
}

function group(rows: readonly ContentRow[]): ReadonlyMap<string, readonly AgentMonitorContent[]> {
  const contents = new Map<string, AgentMonitorContent[]>();
  for (const { entity_id: entityId, field_id: fieldId, value, citations, updated_at: updatedAt } of rows) {
    const known = contents.get(entityId) ?? [];
    contents.set(entityId, [...known, { fieldId, value, citations, updatedAt }]);
  }
  return contents;
}
