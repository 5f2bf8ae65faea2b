import { AppError } from "@quarry/base";
import {
  addAgentTokens,
  AGENT_MONITOR_CITER,
  beginAgentRefresh,
  citeSnapshots,
  endAgentBacktest,
  endAgentRefresh,
  enqueueRefresh,
  findAgentBacktest,
  findAgentMonitor,
  keepAgentContents,
  listStaleEntities,
  lockAgentMonitor,
  readAgentContents,
  type AgentMonitor,
  type AgentMonitorEntity,
  type JobHandler,
  type Json,
} from "@quarry/store";
import { nextInterval } from "../search/next-interval.ts";
import type { AgentMonitorJobDeps } from "./agent-monitor-deps.ts";
import { readBacktestRequest, toCitation } from "./agent-monitor-service.ts";
import { lookAtEntity, type EntityFindings } from "./look-at-entity.ts";

/** Entities of one job. */
const ENTITIES_PER_JOB = 3;
/** Tries of a back-test that end in an error of our own before it is said to have failed. */
const TRIES = 5;

/**
 * Does the jobs of kind `agent-monitor`: looks at some entities that are due, keeps what was found, and has the rest done by a next
 * job; when none is left the refresh ends and the next is planned. What a killed worker had not kept is looked at again.
 */
export function createAgentMonitorHandler(deps: AgentMonitorJobDeps): JobHandler {
  const { database, clock } = deps;
  return async (run) => {
    const { monitorId } = run.job.payload as { readonly monitorId: string };
    const monitor = await findAgentMonitor(database, monitorId);
    if (monitor === undefined) return run.complete(); // deleted
    if (monitor.refreshStartedAt === null && monitor.nextRefreshAt <= clock.now()) {
      await beginAgentRefresh(database, monitorId, clock.now());
    }
    const current = (await findAgentMonitor(database, monitorId)) ?? monitor;
    const stale = { before: current.refreshStartedAt, limit: ENTITIES_PER_JOB };
    const entities = await listStaleEntities(database, monitorId, stale);
    const looks: { readonly entity: AgentMonitorEntity; readonly findings: EntityFindings }[] = [];
    for (const entity of entities) {
      const fields = await fieldsToAnswer(deps, current, entity);
      const look = { teamId: monitor.teamId, entity, fields };
      looks.push({ entity, findings: await lookAtEntity(deps, look, run.signal) });
    }
    return run.complete(async (tx) => {
      if (!(await lockAgentMonitor(tx, monitorId))) return;
      const now = clock.now();
      for (const { entity, findings } of looks) {
        await citeSnapshots(tx, { kind: AGENT_MONITOR_CITER, id: monitorId }, toTexts(findings));
        await keepAgentContents(tx, { monitorId, entityId: entity.id }, findings.found, now);
        await addAgentTokens(tx, monitorId, findings.tokens);
      }
      const isMore = (await listStaleEntities(tx, monitorId, { ...stale, limit: 1 })).length > 0;
      if (isMore) return enqueueRefresh(tx, monitor);
      if (current.refreshStartedAt === null) return; // entities that were added; the refresh has its own job
      const nextRefreshAt = nextInterval(monitor.cadence, monitor.createdAt, now);
      await endAgentRefresh(tx, monitorId, { now, nextRefreshAt });
      await enqueueRefresh(tx, monitor, nextRefreshAt);
    });
  };
}

/** A static field that has its answer keeps it. */
async function fieldsToAnswer(
  deps: AgentMonitorJobDeps,
  monitor: AgentMonitor,
  entity: AgentMonitorEntity,
): Promise<AgentMonitor["fields"]> {
  const known = (await readAgentContents(deps.database, [entity.id])).get(entity.id) ?? [];
  return monitor.fields.filter(({ id, mode }) => mode === "dynamic" || !known.some(({ fieldId }) => fieldId === id));
}

function toTexts({ references }: EntityFindings): Parameters<typeof citeSnapshots>[2] {
  return references.flatMap(({ snapshotId, extractorVersion }) =>
    snapshotId === null || extractorVersion === null ? [] : [{ snapshotId, extractorVersion }],
  );
}

/** Does the jobs of kind `agent-backtest`: one look at each entity with the eyes of the past. */
export function createAgentBacktestHandler(deps: AgentMonitorJobDeps): JobHandler {
  return async (run) => {
    const { backtestId } = run.job.payload as { readonly backtestId: string };
    const backtest = await findAgentBacktest(deps.database, backtestId);
    if (backtest?.status !== "running") return run.complete();
    try {
      const { entities, fields } = readBacktestRequest(backtest);
      const window = { from: backtest.startTime, to: backtest.endTime };
      const data: Json[] = [];
      const failedEntities: Json[] = [];
      for (const entity of entities) {
        const look = { teamId: backtest.teamId, entity, fields, window };
        const { found, hasPages } = await lookAtEntity(deps, look, run.signal);
        if (!hasPages) {
          failedEntities.push({ name: entity.name, reason: "no page about it was stored at that time" });
          continue;
        }
        const nameOf = (fieldId: string): string => fields.find(({ id }) => id === fieldId)?.name ?? fieldId;
        const contents = found.map(({ fieldId, value, citations }): readonly [string, Json] => [
          nameOf(fieldId),
          { value, citations: citations.map(toCitation) },
        ]);
        data.push({ name: entity.name, contents: Object.fromEntries(contents) });
      }
      const warnings = ["pages are read as this server had stored them by endTime; what it had not stored is not seen"];
      return await run.complete((tx) =>
        endAgentBacktest(tx, backtestId, { status: "completed", result: { data, failedEntities, warnings } }),
      );
    } catch (thrown) {
      run.signal.throwIfAborted();
      const error = AppError.from(thrown);
      if (error.retryable && run.job.attempts < TRIES) throw error;
      return run.complete((tx) => endAgentBacktest(tx, backtestId, { status: "failed", error: error.message }));
    }
  };
}
