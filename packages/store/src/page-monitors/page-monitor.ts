import type { CitedText } from "../retention/cite-snapshots.ts";

/** A page that is read again and again. */
export interface PageMonitor {
  readonly id: string;
  readonly teamId: string;
  /** In canonical form. */
  readonly url: string;
  readonly status: "enabled" | "disabled";
  readonly everyMinutes: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** The text it had when it was last read. */
  readonly text: CitedText | null;
  readonly checkedAt: Date | null;
  readonly changedAt: Date | null;
  readonly checks: number;
  readonly changes: number;
  /** Why it could not be read the last time. */
  readonly error: string | null;
  /** Null while disabled. */
  readonly nextCheckAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const PAGE_MONITOR_COLUMNS = `id, team_id, url, status, every_minutes, metadata, snapshot_id, extractor_version,
  checked_at, changed_at, checks, changes, error, next_check_at, created_at, updated_at`;

export interface PageMonitorRow {
  readonly id: string;
  readonly team_id: string;
  readonly url: string;
  readonly status: "enabled" | "disabled";
  readonly every_minutes: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly snapshot_id: string | null;
  readonly extractor_version: string | null;
  readonly checked_at: Date | null;
  readonly changed_at: Date | null;
  readonly checks: number;
  readonly changes: number;
  readonly error: string | null;
  readonly next_check_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function toPageMonitor(row: PageMonitorRow): PageMonitor {
  const { snapshot_id: snapshotId, extractor_version: extractorVersion } = row;
  return {
    id: row.id,
    teamId: row.team_id,
    url: row.url,
    status: row.status,
    everyMinutes: row.every_minutes,
    metadata: row.metadata,
    text: snapshotId === null || extractorVersion === null ? null : { snapshotId, extractorVersion },
    checkedAt: row.checked_at,
    changedAt: row.changed_at,
    checks: row.checks,
    changes: row.changes,
    error: row.error,
    nextCheckAt: row.next_check_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
