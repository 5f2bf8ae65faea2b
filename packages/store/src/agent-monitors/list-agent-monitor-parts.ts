import { decodeCursor, encodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable } from "../database.ts";
import type { Json } from "../jsonb.ts";
import type { AgentMonitorCitation, AgentMonitorEntity } from "./agent-monitor.ts";

/** A moment, or a version of the monitor. */
export type AgentMonitorSince = Date | number | undefined;

interface PartsPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly since?: AgentMonitorSince;
}

/** A monitor's entities in the order in which they came; those whose contents changed since then, when asked. */
export async function listAgentEntities(
  db: Queryable,
  monitorId: string,
  page: PartsPage,
): Promise<Page<AgentMonitorEntity>> {
  const [after = "0"] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<Omit<AgentMonitorEntity, "sequence"> & { readonly sequence: string }>(
    `SELECT id, sequence, name, domain, description, refreshed_at AS "refreshedAt" FROM agent_monitor_entities AS entity
     WHERE monitor_id = $1 AND sequence > $2::bigint
       AND ($3::timestamptz IS NULL OR updated_at >= $3)
       AND ($4::bigint IS NULL OR EXISTS (SELECT 1 FROM agent_monitor_changes AS change
         WHERE change.monitor_id = $1 AND change.version > $4 AND change.entity_id = entity.id))
     ORDER BY sequence LIMIT $5`,
    [monitorId, numberOf(after), ...sinceOf(page.since), page.limit + 1],
  );
  const entities = rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
  return toPage(entities, page.limit, ({ sequence }) => [String(sequence)]);
}

/** One change of a content; name and domain are null once the entity is gone. */
export interface AgentMonitorChange {
  readonly version: number;
  readonly entityId: string;
  readonly entityName: string | null;
  readonly entityDomain: string | null;
  readonly fieldId: string;
  readonly value: Json;
  readonly citations: readonly AgentMonitorCitation[];
  readonly createdAt: Date;
}

/** A monitor's changes in their order. The cursor goes on behind the last one of the page, also when there is no more yet. */
export async function listAgentChanges(
  db: Queryable,
  monitorId: string,
  page: PartsPage,
): Promise<Page<AgentMonitorChange>> {
  const [after = "0"] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<Omit<AgentMonitorChange, "version"> & { readonly version: string }>(
    `SELECT change.version, change.entity_id AS "entityId", entity.name AS "entityName", entity.domain AS "entityDomain",
       change.field_id AS "fieldId", change.value, change.citations, change.created_at AS "createdAt"
     FROM agent_monitor_changes AS change LEFT JOIN agent_monitor_entities AS entity ON entity.id = change.entity_id
     WHERE change.monitor_id = $1 AND change.version > $2::bigint
       AND ($3::timestamptz IS NULL OR change.created_at >= $3) AND ($4::bigint IS NULL OR change.version > $4)
     ORDER BY change.version LIMIT $5`,
    [monitorId, numberOf(after), ...sinceOf(page.since), page.limit + 1],
  );
  const data = rows.slice(0, page.limit).map((row) => ({ ...row, version: Number(row.version) }));
  const last = data.at(-1);
  return {
    data,
    hasMore: rows.length > data.length,
    nextCursor: last === undefined ? null : encodeCursor([String(last.version)]),
  };
}

function sinceOf(since: AgentMonitorSince): readonly [Date | null, number | null] {
  return [since instanceof Date ? since : null, typeof since === "number" ? since : null];
}

/** A cursor of ours holds digits; another list's may not. */
function numberOf(text: string): string {
  return /^\d{1,18}$/.test(text) ? text : "0";
}
