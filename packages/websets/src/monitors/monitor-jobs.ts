import { AppError } from "@quarry/base";
import { exaEvent, type MonitorBehavior, type WebsetEntity } from "@quarry/contract";
import {
  appendEvent,
  beginWebsetWork,
  deleteJobSchedule,
  endWebsetWork,
  findMonitorRun,
  getMonitor,
  getWebsetSearch,
  isMonitorRunFinished,
  listWebsetEnrichments,
  listWebsetSearches,
  lockWebset,
  lookAgainAtRun,
  moveMonitorRunBy,
  nameRunSearch,
  readWebsetParts,
  type JobHandler,
  type Monitor,
  type MonitorRun,
  type Transaction,
  type Webset,
} from "@quarry/store";
import type { MonitorEngine, MonitorSearch } from "./monitor-engine.ts";
import { beginMonitorRun, type MonitorDeps } from "./monitor-service.ts";
import { refreshContents } from "./refresh-contents.ts";
import { showMonitorRun } from "./show-monitor.ts";

/** What the jobs of monitors need. */
export interface MonitorJobDeps extends MonitorDeps {
  readonly engine: MonitorEngine;
}

/** Tries that end in an error of our own before a run is said to have failed. */
const TRIES = 5;

/** Makes a run of each slot that comes: once, whatever happens to the worker, and none for a monitor that rests. */
export function createMonitorSlotHandler(deps: MonitorJobDeps): JobHandler {
  return (run) =>
    run.complete(async (tx) => {
      const { monitorId } = run.job.payload as { readonly monitorId: string };
      const monitor = await getMonitor(tx, run.job.teamId ?? "", monitorId).catch(ifGone);
      if (monitor === undefined && run.job.slot !== null) await deleteJobSchedule(tx, run.job.slot.schedule);
      if (monitor?.status !== "enabled") return;
      await beginMonitorRun(tx, monitor, { slotAt: run.job.slot?.at ?? null, now: deps.clock.now() });
    });
}

/**
 * Carries a run through: starts what it is for, looks from time to time whether that has come to its end, and says how.
 * On a webset that rests the run is skipped, and says so.
 */
export function createMonitorRunHandler(deps: MonitorJobDeps): JobHandler {
  return async (run) => {
    const { runId, looks } = run.job.payload as { readonly runId: string; readonly looks: number };
    const found = await findMonitorRun(deps.database, runId);
    if (found === undefined || isMonitorRunFinished(found.status)) return run.complete();
    const monitor = await getMonitor(deps.database, found.teamId, found.monitorId);
    const behavior = monitor.behavior as unknown as MonitorBehavior; // as the contract's schema made it
    try {
      if (found.status === "created")
        return await run.complete((tx) => startRun(deps, tx, { found, monitor, behavior }));
      if (behavior.type === "refresh" && behavior.config.target === "contents") {
        const step = await refreshContents(deps, { run: found, websetId: monitor.websetId }, run.signal);
        return await run.complete(async (tx) => {
          await lockWebset(tx, monitor.websetId);
          await step.keep(tx);
          if (step.isLast) await endRun(deps, tx, { found, monitor, move: "complete" });
          else await lookAgainAtRun(tx, found, 0, deps.clock.now());
        });
      }
      return await run.complete((tx) => lookAtRun(deps, tx, { found, monitor, looks }));
    } catch (thrown) {
      run.signal.throwIfAborted();
      const error = AppError.from(thrown);
      const isFinal = ["invalid_request", "unprocessable", "not_found", "budget_exceeded"].includes(error.code);
      if (!isFinal && run.job.attempts < TRIES) throw error;
      return run.complete((tx) => endRun(deps, tx, { found, monitor, move: "fail", reason: error.message }));
    }
  };
}

interface KnownRun {
  readonly found: MonitorRun;
  readonly monitor: Monitor;
}

async function startRun(
  deps: MonitorJobDeps,
  tx: Transaction,
  { found, monitor, behavior }: KnownRun & { readonly behavior: MonitorBehavior },
): Promise<void> {
  const now = deps.clock.now();
  const webset = await lockWebset(tx, monitor.websetId);
  if (webset === undefined) return; // deleted, and the run with it
  if (webset.pausedAt !== null) {
    await endRun(deps, tx, { found, monitor, move: "cancel", reason: "webset_paused" });
    return;
  }
  const started = await moveMonitorRunBy(tx, found.id, { move: "start", now });
  if (started === undefined) return;
  await beginWebsetWork(tx, { websetId: webset.id, kind: "monitor_run", id: found.id }, now);
  if (behavior.type === "search") {
    const searchId = await deps.engine.beginSearch(tx, webset, await searchOf(tx, webset, behavior, found), now);
    await nameRunSearch(tx, found.id, searchId);
  } else if (behavior.config.target === "enrichments") {
    const known = (await listWebsetEnrichments(tx, webset.id)).filter(({ canceledAt }) => canceledAt === null);
    const wanted = behavior.config.enrichments?.ids;
    const ids = known.map(({ id }) => id).filter((id) => wanted === undefined || wanted.includes(id));
    if (ids.length === 0) throw new AppError("unprocessable", "the webset has none of the enrichments to run again");
    await deps.engine.refillCells(tx, webset, ids, now);
  }
  await lookAgainAtRun(tx, found, 0, now);
}

/** What the monitor does not say is as in the webset's last search. */
async function searchOf(
  tx: Transaction,
  webset: Webset,
  behavior: Extract<MonitorBehavior, { type: "search" }>,
  run: MonitorRun,
): Promise<MonitorSearch> {
  const { config } = behavior;
  const last = (await listWebsetSearches(tx, webset.id)).at(-1);
  const query = config.query ?? last?.query;
  if (query === undefined) {
    throw new AppError("unprocessable", "the webset has no search to repeat: give the monitor's behavior a query");
  }
  const lastCriteria = last?.criteria.map(({ description }) => ({ description }));
  return {
    query,
    entity: config.entity ?? (last?.entity as WebsetEntity | null | undefined) ?? undefined,
    criteria: config.criteria ?? (lastCriteria?.length === 0 ? undefined : lastCriteria),
    count: config.count,
    behavior: config.behavior,
    exclude: last?.exclude ?? [],
    scope: config.query === undefined ? (last?.scope ?? []) : [],
    maxPeoplePerCompany: last?.maxPeoplePerCompany ?? null,
    metadata: { monitorId: run.monitorId, monitorRunId: run.id },
  };
}

/** A run is over when its search is, and no cell of the webset is open. */
async function lookAtRun(
  deps: MonitorJobDeps,
  tx: Transaction,
  { found, monitor, looks }: KnownRun & { readonly looks: number },
): Promise<void> {
  const webset = await lockWebset(tx, monitor.websetId);
  if (webset === undefined) return; // deleted, and the run with it
  if (found.searchId !== null) {
    const search = await getWebsetSearch(tx, webset.id, found.searchId);
    if (search.status === "canceled") {
      await endRun(deps, tx, { found, monitor, move: "cancel", reason: search.canceledReason ?? "search_canceled" });
      return;
    }
    if (search.endReason === "failed") {
      await endRun(deps, tx, { found, monitor, move: "fail", reason: "the search of this run failed" });
      return;
    }
    if (search.status !== "completed") {
      await lookAgainAtRun(tx, found, looks, deps.clock.now());
      return;
    }
  }
  const [parts] = await readWebsetParts(tx, [webset]);
  const isFilling = parts?.enrichments.some(({ hasOpenCells }) => hasOpenCells) ?? false;
  const isOpen = parts?.openWork.some(({ kind, id }) => kind === "monitor_run" && id === found.id) ?? false;
  if (!isOpen) await endRun(deps, tx, { found, monitor, move: "cancel", reason: "webset_canceled" });
  else if (isFilling) await lookAgainAtRun(tx, found, looks, deps.clock.now());
  else await endRun(deps, tx, { found, monitor, move: "complete" });
}

/** Ends a run, tells of it, and lets the webset rest. The caller may hold the webset's lock, or take it here. */
async function endRun(
  deps: MonitorJobDeps,
  tx: Transaction,
  {
    found,
    monitor,
    move,
    reason,
  }: KnownRun & { readonly move: "complete" | "cancel" | "fail"; readonly reason?: string },
): Promise<void> {
  const now = deps.clock.now();
  const webset = await lockWebset(tx, monitor.websetId);
  const ended = await moveMonitorRunBy(tx, found.id, { move, reason, now });
  if (ended === undefined || webset === undefined) return;
  await appendEvent(tx, exaEvent(ended.teamId, "monitor.run.completed", showMonitorRun(ended)), now);
  const wasOpen = await endWebsetWork(tx, { websetId: webset.id, kind: "monitor_run", id: found.id });
  if (wasOpen) await deps.settleWebset(tx, webset.id, now);
}

function ifGone(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
}
