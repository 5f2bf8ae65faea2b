import type { Json } from "../jsonb.ts";

/** What a monitor finds out of every entity. */
export interface AgentMonitorField {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly mode: "static" | "dynamic";
  readonly type: "string" | "number" | "boolean" | "date" | "url" | "email" | "phone";
}

/** An agent monitor as the store keeps it. */
export interface AgentMonitor {
  readonly id: string;
  readonly teamId: string;
  readonly cadence: string;
  readonly fields: readonly AgentMonitorField[];
  readonly version: number;
  /** Tokens of a language model, ever, and in the last refresh that ended. */
  readonly totalTokens: number;
  readonly lastRefreshTokens: number;
  /** When the refresh under way began; null between refreshes. */
  readonly refreshStartedAt: Date | null;
  readonly lastRefreshAt: Date | null;
  readonly nextRefreshAt: Date;
  readonly createdAt: Date;
  readonly entityCount: number;
  /** Entities that the refresh under way has looked at. */
  readonly refreshedCount: number;
}

/** Something a monitor watches. */
export interface AgentMonitorEntity {
  readonly id: string;
  readonly sequence: number;
  readonly name: string;
  readonly domain: string;
  readonly description: string | null;
  readonly refreshedAt: Date | null;
}

/** A quote that a value rests on. */
export interface AgentMonitorCitation {
  readonly url: string;
  readonly title: string | null;
  readonly snippet: string;
}

/** What is known of a field of an entity. */
export interface AgentMonitorContent {
  readonly fieldId: string;
  readonly value: Json;
  readonly citations: readonly AgentMonitorCitation[];
  readonly updatedAt: Date;
}

/** A row of `agent_monitors` with its counts. */
export interface AgentMonitorRow {
  readonly id: string;
  readonly team_id: string;
  readonly cadence: string;
  readonly fields: readonly AgentMonitorField[];
  readonly version: string;
  readonly total_tokens: string;
  readonly last_refresh_tokens: string;
  readonly refresh_started_at: Date | null;
  readonly last_refresh_at: Date | null;
  readonly next_refresh_at: Date;
  readonly created_at: Date;
  readonly entity_count: number;
  readonly refreshed_count: number;
}

/** The columns of `toAgentMonitor`, of the table aliased `monitor`. */
export const AGENT_MONITOR_COLUMNS = `monitor.id, monitor.team_id, monitor.cadence, monitor.fields, monitor.version,
  monitor.total_tokens, monitor.last_refresh_tokens, monitor.refresh_started_at, monitor.last_refresh_at,
  monitor.next_refresh_at, monitor.created_at,
  (SELECT count(*)::int FROM agent_monitor_entities WHERE monitor_id = monitor.id) AS entity_count,
  (SELECT count(*)::int FROM agent_monitor_entities
    WHERE monitor_id = monitor.id AND refreshed_at >= monitor.refresh_started_at) AS refreshed_count`;

/** Reads a row. */
export function toAgentMonitor(row: AgentMonitorRow): AgentMonitor {
  return {
    id: row.id,
    teamId: row.team_id,
    cadence: row.cadence,
    fields: row.fields,
    version: Number(row.version),
    totalTokens: Number(row.total_tokens),
    lastRefreshTokens: Number(row.last_refresh_tokens),
    refreshStartedAt: row.refresh_started_at,
    lastRefreshAt: row.last_refresh_at,
    nextRefreshAt: row.next_refresh_at,
    createdAt: row.created_at,
    entityCount: row.entity_count,
    refreshedCount: row.refreshed_count,
  };
}
