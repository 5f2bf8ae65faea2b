import type { MonitorRunWire, MonitorWire } from "@quarry/contract";
import type { Monitor, MonitorRun } from "@quarry/store";

/** A monitor as the wire shows it. */
export function showMonitor(monitor: Monitor): MonitorWire {
  return {
    id: monitor.id,
    object: "monitor",
    status: monitor.status,
    websetId: monitor.websetId,
    cadence: { cron: monitor.cron, timezone: monitor.timeZone },
    behavior: monitor.behavior as MonitorWire["behavior"], // as the contract's schema made it
    lastRun: monitor.lastRun === null ? null : showMonitorRun(monitor.lastRun),
    nextRunAt: monitor.nextRunAt?.toISOString() ?? null,
    metadata: { ...monitor.metadata },
    createdAt: monitor.createdAt.toISOString(),
    updatedAt: monitor.updatedAt.toISOString(),
  };
}

/** A run as the wire shows it. */
export function showMonitorRun(run: MonitorRun): MonitorRunWire {
  return {
    id: run.id,
    object: "monitor_run",
    status: run.status,
    monitorId: run.monitorId,
    type: run.type,
    completedAt: run.completedAt?.toISOString() ?? null,
    failedAt: run.failedAt?.toISOString() ?? null,
    failedReason: run.failedReason,
    canceledAt: run.canceledAt?.toISOString() ?? null,
    canceledReason: run.canceledReason,
    createdAt: run.createdAt.toISOString(),
    updatedAt: run.updatedAt.toISOString(),
  };
}
