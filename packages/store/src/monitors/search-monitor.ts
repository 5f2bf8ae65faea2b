import type { Json } from "../jsonb.ts";

/** What a monitor may be: resting on someone's word, or because its key no longer counts. */
export type SearchMonitorStatus = "active" | "paused" | "disabled";

/** How far a run is; `cancelled` when its monitor came to rest before it started. */
export type SearchMonitorRunStatus = "pending" | "running" | "completed" | "failed" | "cancelled";

/** When a monitor runs by itself: at whole periods from its creation, or by a cron expression in a time zone. */
export type SearchMonitorTrigger =
  | { readonly type: "interval"; readonly period: string }
  | { readonly type: "cron"; readonly expression: string; readonly timezone: string };

/** A search that repeats itself, as the store keeps it. */
export interface SearchMonitor {
  readonly id: string;
  readonly teamId: string;
  readonly keyId: string | null;
  readonly name: string | null;
  readonly status: SearchMonitorStatus;
  /** What is searched for, as the contract has it. */
  readonly search: Json;
  readonly trigger: SearchMonitorTrigger | null;
  readonly outputSchema: Readonly<Record<string, Json>> | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly webhook: { readonly id: string; readonly url: string; readonly events: readonly string[] };
  readonly nextRunAt: Date | null;
  readonly authenticationFailures: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A run of one, as the store keeps it. */
export interface SearchMonitorRun {
  readonly id: string;
  readonly monitorId: string;
  readonly status: SearchMonitorRunStatus;
  readonly output: Json;
  readonly failReason: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly failedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of `search_monitors` with what it needs of its webhook. */
export interface SearchMonitorRow {
  readonly id: string;
  readonly team_id: string;
  readonly key_id: string | null;
  readonly name: string | null;
  readonly status: SearchMonitorStatus;
  readonly search: Json;
  readonly trigger: SearchMonitorTrigger | null;
  readonly output_schema: Readonly<Record<string, Json>> | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly webhook_id: string;
  readonly webhook_url: string | null;
  readonly webhook_events: readonly string[] | null;
  readonly next_run_at: Date | null;
  readonly authentication_failures: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row of `search_monitor_runs` with its monitor's metadata. */
export interface SearchMonitorRunRow {
  readonly id: string;
  readonly monitor_id: string;
  readonly status: SearchMonitorRunStatus;
  readonly output: Json;
  readonly fail_reason: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
  readonly failed_at: Date | null;
  readonly cancelled_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Reads a row. */
export function toSearchMonitor(row: SearchMonitorRow): SearchMonitor {
  return {
    id: row.id,
    teamId: row.team_id,
    keyId: row.key_id,
    name: row.name,
    status: row.status,
    search: row.search,
    trigger: row.trigger,
    outputSchema: row.output_schema,
    metadata: row.metadata,
    webhook: { id: row.webhook_id, url: row.webhook_url ?? "", events: row.webhook_events ?? [] },
    nextRunAt: row.next_run_at,
    authenticationFailures: row.authentication_failures,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Reads a row. */
export function toSearchMonitorRun(row: SearchMonitorRunRow): SearchMonitorRun {
  return {
    id: row.id,
    monitorId: row.monitor_id,
    status: row.status,
    output: row.output,
    failReason: row.fail_reason,
    metadata: row.metadata,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    failedAt: row.failed_at,
    cancelledAt: row.cancelled_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
