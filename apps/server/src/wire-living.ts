import type { Clock } from "@quarry/base";
import type { Config } from "@quarry/config";
import { exportRoutes, importRoutes, monitorRoutes, searchMonitorRoutes, type Route } from "@quarry/doors";
import { createWebhookUrlCheck } from "@quarry/events";
import { getPages, type SearchDeps } from "@quarry/search";
import {
  EXPORT_JOB,
  IMPORT_JOB,
  MONITOR_RUN_JOB,
  MONITOR_SLOT_JOB,
  SEARCH_MONITOR_RUN_JOB,
  SEARCH_MONITOR_SLOT_JOB,
  SHARED_TEAM,
  type BlobStore,
  type JobHandler,
} from "@quarry/store";
import {
  createExportJobHandler,
  createFileSweepHandler,
  createImportJobHandler,
  createMonitorDeps,
  createMonitorRunHandler,
  createMonitorSlotHandler,
  createSearchMonitorRunHandler,
  createSearchMonitorSlotHandler,
  FILE_SWEEP_JOB,
  scheduleFileSweep,
  type MonitorDeps,
  type WebsetsDeps,
} from "@quarry/websets";
import { wireAgentMonitors } from "./wire-agent-monitors.ts";

/** A page as it is on the web now, whatever is stored of it. */
const FRESH = {
  freshness: { kind: "fetch", fallsBack: false },
  fetchTimeoutMs: 15_000,
  snapshotAsOf: undefined,
} as const;

/** Puts imports, exports and monitors together, over websets and search. */
export function wireLiving(parts: {
  readonly config: Config;
  readonly clock: Clock;
  readonly blobs: BlobStore;
  readonly searching: SearchDeps;
  readonly websets: WebsetsDeps;
  /** Writes what searches that repeat themselves found; undefined when no language model is set. */
  readonly writer: SearchDeps["writer"];
}): {
  readonly routes: readonly Route[];
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** What keeps websets up to date, for whoever makes monitors by another way than the routes. */
  readonly monitors: MonitorDeps;
  readonly checkWebhookUrl: (url: string, signal: AbortSignal) => Promise<void>;
  /** Sets the schedules of our own; for a process that runs jobs. */
  readonly schedule: () => Promise<void>;
  readonly close: () => Promise<void>;
} {
  const { config, clock, blobs, searching, websets, writer } = parts;
  const { database } = websets;
  const files = { database, blobs, clock };
  const monitors = createMonitorDeps(websets, async ({ teamId, url }, signal) => {
    const outcome = (await getPages(searching, [teamId, SHARED_TEAM], [url], FRESH, signal)).get(url);
    if (outcome?.kind !== "found" || outcome.page.snapshotId === null) return undefined;
    return { snapshotId: outcome.page.snapshotId, extractorVersion: outcome.page.extractorVersion };
  });
  const urls = createWebhookUrlCheck({ allowPrivateHosts: config.allowPrivateHosts });
  const agentMonitors = wireAgentMonitors({ clock, searching, websets });
  const searchMonitors = { database, clock, checkWebhookUrl: urls.check, search: { ...searching, writer } };
  return {
    routes: [
      ...importRoutes(files),
      ...exportRoutes(files),
      ...monitorRoutes(monitors),
      ...searchMonitorRoutes(searchMonitors),
      ...agentMonitors.routes,
    ],
    handlers: {
      ...agentMonitors.handlers,
      [IMPORT_JOB]: createImportJobHandler(files),
      [EXPORT_JOB]: createExportJobHandler(files),
      [FILE_SWEEP_JOB]: createFileSweepHandler(files),
      [MONITOR_SLOT_JOB]: createMonitorSlotHandler(monitors),
      [MONITOR_RUN_JOB]: createMonitorRunHandler(monitors),
      [SEARCH_MONITOR_SLOT_JOB]: createSearchMonitorSlotHandler(searchMonitors),
      [SEARCH_MONITOR_RUN_JOB]: createSearchMonitorRunHandler(searchMonitors),
    },
    monitors,
    checkWebhookUrl: urls.check,
    schedule: () => scheduleFileSweep(database),
    close: urls.close,
  };
}
