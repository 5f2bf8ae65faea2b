import type { PageMonitorWire } from "@quarry/contract";
import type { PageMonitor } from "@quarry/store";

/** A page monitor as the wire shows it. */
export function showPageMonitor(monitor: PageMonitor): PageMonitorWire {
  return {
    id: monitor.id,
    object: "page_monitor",
    status: monitor.status,
    url: monitor.url,
    everyMinutes: monitor.everyMinutes,
    metadata: { ...monitor.metadata },
    snapshotId: monitor.text?.snapshotId ?? null,
    checks: monitor.checks,
    changes: monitor.changes,
    lastCheckedAt: monitor.checkedAt?.toISOString() ?? null,
    lastChangedAt: monitor.changedAt?.toISOString() ?? null,
    error: monitor.error,
    nextCheckAt: monitor.nextCheckAt?.toISOString() ?? null,
    createdAt: monitor.createdAt.toISOString(),
    updatedAt: monitor.updatedAt.toISOString(),
  };
}
