import { makeId, type Clock } from "@quarry/base";
import { exaEvent, type CreateMonitor, type UpdateMonitor } from "@quarry/contract";
import {
  appendEvent,
  changeMonitor,
  createMonitor,
  createMonitorRun,
  deleteMonitor,
  endWebsetWork,
  getMonitor,
  getMonitorRun,
  getWebset,
  listMonitorsOfWebsets,
  listOpenMonitorRuns,
  lockWebset,
  type Database,
  type Json,
  type Monitor,
  type MonitorRun,
  type Transaction,
} from "@quarry/store";
import { checkCadence } from "./check-cadence.ts";
import { showMonitor, showMonitorRun } from "./show-monitor.ts";

/** What monitors need. */
export interface MonitorDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Says that a webset is idle, if that has become so; the caller holds its lock. */
  readonly settleWebset: (tx: Transaction, websetId: string, now: Date) => Promise<void>;
}

/** Makes an enabled monitor; throws `not_found` for a webset that the team does not have, `invalid_request` for a cadence that is none. */
export async function beginMonitor(
  deps: MonitorDeps,
  wish: CreateMonitor,
  owner: { readonly id: string; readonly teamId: string },
): Promise<Monitor> {
  const now = deps.clock.now();
  checkCadence(wish.cadence, now);
  return deps.database.transaction(async (tx) => {
    const webset = await getWebset(tx, owner.teamId, wish.websetId);
    const wanted = {
      ...owner,
      websetId: webset.id,
      cron: normalCron(wish.cadence.cron),
      timeZone: wish.cadence.timezone,
      behavior: toJson(wish.behavior),
      metadata: wish.metadata ?? {},
    };
    const { monitor, isNew } = await createMonitor(tx, wanted, now);
    if (isNew) await appendEvent(tx, exaEvent(owner.teamId, "monitor.created", showMonitor(monitor)), now);
    return monitor;
  });
}

/** Changes a monitor: its status, when it runs, what a run does, its metadata. */
export async function updateMonitor(
  deps: MonitorDeps,
  teamId: string,
  id: string,
  change: UpdateMonitor,
): Promise<Monitor> {
  const now = deps.clock.now();
  if (change.cadence !== undefined) checkCadence(change.cadence, now);
  return deps.database.transaction(async (tx) => {
    const monitor = await changeMonitor(
      tx,
      teamId,
      id,
      {
        status: change.status,
        cron: change.cadence === undefined ? undefined : normalCron(change.cadence.cron),
        timeZone: change.cadence?.timezone,
        behavior: change.behavior === undefined ? undefined : toJson(change.behavior),
        metadata: change.metadata === null ? {} : change.metadata,
      },
      now,
    );
    await appendEvent(tx, exaEvent(teamId, "monitor.updated", showMonitor(monitor)), now);
    return monitor;
  });
}

/** Takes a monitor away. What a run of it has begun on the webset goes on. */
export function removeMonitor(deps: MonitorDeps, teamId: string, id: string): Promise<Monitor> {
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    const { websetId } = await getMonitor(tx, teamId, id);
    await lockWebset(tx, websetId);
    const open = await listOpenMonitorRuns(tx, id);
    const removed = await deleteMonitor(tx, teamId, id);
    for (const run of open) await endWebsetWork(tx, { websetId, kind: "monitor_run", id: run.id });
    await appendEvent(tx, exaEvent(teamId, "monitor.deleted", showMonitor(removed)), now);
    if (open.length > 0) await deps.settleWebset(tx, websetId, now);
    return removed;
  });
}

/** Takes away the monitors of a webset that is being deleted, in that transaction. */
export async function removeMonitorsOfWebset(tx: Transaction, websetId: string, now: Date): Promise<void> {
  for (const { id, teamId } of await listMonitorsOfWebsets(tx, [websetId])) {
    const removed = await deleteMonitor(tx, teamId, id);
    await appendEvent(tx, exaEvent(teamId, "monitor.deleted", showMonitor(removed)), now);
  }
}

/** Has a monitor run now, beside its schedule, also while it is disabled; a second time with the same `runId` it is that run. */
export function triggerMonitor(
  deps: MonitorDeps,
  wish: { readonly teamId: string; readonly monitorId: string; readonly runId: string },
): Promise<MonitorRun> {
  const { teamId, monitorId, runId } = wish;
  return deps.database.transaction(async (tx) => {
    const monitor = await getMonitor(tx, teamId, monitorId);
    const run = await beginMonitorRun(tx, monitor, { id: runId, slotAt: null, now: deps.clock.now() });
    return run ?? getMonitorRun(tx, teamId, monitorId, runId);
  });
}

/** Makes a run with its job and event; undefined when this slot has had its run, or the run is there. */
export async function beginMonitorRun(
  tx: Transaction,
  monitor: Monitor,
  moment: { readonly id?: string; readonly slotAt: Date | null; readonly now: Date },
): Promise<MonitorRun | undefined> {
  const { type } = monitor.behavior as { readonly type: "search" | "refresh" };
  const wanted = { id: moment.id ?? makeId("monitor_run", moment.now), monitor, type, slotAt: moment.slotAt };
  const run = await createMonitorRun(tx, wanted, moment.now);
  if (run === undefined) return undefined;
  await appendEvent(tx, exaEvent(run.teamId, "monitor.run.created", showMonitorRun(run)), moment.now);
  return run;
}

function normalCron(cron: string): string {
  return cron.trim().split(/\s+/).join(" ");
}

/** Wire shapes are JSON; TypeScript cannot see that of an interface. */
function toJson(value: object): Json {
  return value as unknown as Json;
}
