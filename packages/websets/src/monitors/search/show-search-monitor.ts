import type {
  SearchMonitorEvent,
  SearchMonitorFailure,
  SearchMonitorRunWire,
  SearchMonitorWire,
} from "@quarry/contract";
import type { SearchMonitor, SearchMonitorRun } from "@quarry/store";

/** A search monitor as the wire shows it. */
export function showSearchMonitor(monitor: SearchMonitor): SearchMonitorWire {
  return {
    id: monitor.id,
    name: monitor.name,
    status: monitor.status,
    search: monitor.search as SearchMonitorWire["search"], // as the contract's schema made it
    trigger: monitor.trigger === null ? null : { ...monitor.trigger },
    outputSchema: monitor.outputSchema === null ? null : { ...monitor.outputSchema },
    metadata: monitor.metadata === null ? null : { ...monitor.metadata },
    webhook: { url: monitor.webhook.url, events: monitor.webhook.events as SearchMonitorEvent[] },
    nextRunAt: monitor.nextRunAt?.toISOString() ?? null,
    createdAt: monitor.createdAt.toISOString(),
    updatedAt: monitor.updatedAt.toISOString(),
  };
}

/** A run as the wire shows it. */
export function showSearchMonitorRun(run: SearchMonitorRun): SearchMonitorRunWire {
  const endedAt = run.completedAt ?? run.failedAt ?? run.cancelledAt;
  return {
    id: run.id,
    monitorId: run.monitorId,
    status: run.status,
    output: run.output as SearchMonitorRunWire["output"], // as the run's job made it
    failReason: run.failReason as SearchMonitorFailure | null,
    startedAt: run.startedAt?.toISOString() ?? null,
    completedAt: run.completedAt?.toISOString() ?? null,
    failedAt: run.failedAt?.toISOString() ?? null,
    cancelledAt: run.cancelledAt?.toISOString() ?? null,
    durationMs: run.startedAt === null || endedAt === null ? null : endedAt.getTime() - run.startedAt.getTime(),
    metadata: run.metadata === null ? null : { ...run.metadata },
    createdAt: run.createdAt.toISOString(),
    updatedAt: run.updatedAt.toISOString(),
  };
}
