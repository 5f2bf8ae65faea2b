import type { Json } from "../jsonb.ts";
import type { MonitorRunStatus } from "./monitor-run-state.ts";

/** A watch over a webset as the store keeps it. */
export interface Monitor {
  readonly id: string;
  readonly teamId: string;
  readonly websetId: string;
  readonly status: "enabled" | "disabled";
  readonly cron: string;
  readonly timeZone: string;
  /** `{type, config}`; its shape is the contract's. */
  readonly behavior: Json;
  readonly metadata: Readonly<Record<string, string>>;
  /** Null while disabled. */
  readonly nextRunAt: Date | null;
  readonly lastRun: MonitorRun | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** One run of a monitor as the store keeps it. */
export interface MonitorRun {
  readonly id: string;
  readonly monitorId: string;
  readonly teamId: string;
  readonly type: "search" | "refresh";
  readonly status: MonitorRunStatus;
  readonly slotAt: Date | null;
  readonly searchId: string | null;
  /** The sequence of the last item that a refresh of contents is done with. */
  readonly position: number;
  readonly failedReason: string | null;
  readonly canceledReason: string | null;
  readonly completedAt: Date | null;
  readonly failedAt: Date | null;
  readonly canceledAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of `toMonitorRun`. */
export const MONITOR_RUN_COLUMNS = `id, monitor_id, team_id, type, status, slot_at, search_id, position, failed_reason,
  canceled_reason, completed_at, failed_at, canceled_at, created_at, updated_at`;

/** A row of `monitor_runs`. */
export interface MonitorRunRow {
  readonly id: string;
  readonly monitor_id: string;
  readonly team_id: string;
  readonly type: "search" | "refresh";
  readonly status: MonitorRunStatus;
  readonly slot_at: Date | null;
  readonly search_id: string | null;
  readonly position: number;
  readonly failed_reason: string | null;
  readonly canceled_reason: string | null;
  readonly completed_at: Date | null;
  readonly failed_at: Date | null;
  readonly canceled_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row of `monitors`, with the slot its schedule has next. */
export interface MonitorRow {
  readonly id: string;
  readonly team_id: string;
  readonly webset_id: string;
  readonly status: "enabled" | "disabled";
  readonly cron: string;
  readonly time_zone: string;
  readonly behavior: Json;
  readonly metadata: Readonly<Record<string, string>>;
  readonly next_slot_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Reads a row. */
export function toMonitorRun(row: MonitorRunRow): MonitorRun {
  return {
    id: row.id,
    monitorId: row.monitor_id,
    teamId: row.team_id,
    type: row.type,
    status: row.status,
    slotAt: row.slot_at,
    searchId: row.search_id,
    position: row.position,
    failedReason: row.failed_reason,
    canceledReason: row.canceled_reason,
    completedAt: row.completed_at,
    failedAt: row.failed_at,
    canceledAt: row.canceled_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Reads a row and the newest of its runs. */
export function toMonitor(row: MonitorRow, lastRun: MonitorRun | null): Monitor {
  return {
    id: row.id,
    teamId: row.team_id,
    websetId: row.webset_id,
    status: row.status,
    cron: row.cron,
    timeZone: row.time_zone,
    behavior: row.behavior,
    metadata: row.metadata,
    nextRunAt: row.next_slot_at,
    lastRun,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
