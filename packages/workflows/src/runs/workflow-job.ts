import { AppError, type Clock } from "@quarry/base";
import {
  appendEvent,
  findWorkflow,
  findWorkflowMemory,
  keepWorkflowMemory,
  keepWorkflowStep,
  listWorkflowSteps,
  moveWorkflowBy,
  queueWorkflow,
  tellWorkflowProgress,
  type Database,
  type JobHandler,
  type JobRun,
  type Json,
  type Transaction,
  type WorkflowProgress,
  type WorkflowStep,
  type WorkflowTask,
} from "@quarry/store";
import { SIGNAL_EVENT, SIGNAL_RESOURCE, type Flow, type FlowSignal, type Plain } from "../flow.ts";
import { runFlow } from "../flows/run-flow.ts";
import { unlessGone } from "../flows/unless-gone.ts";
import type { WorkflowPorts } from "../ports.ts";
import { workflowNames } from "../workflow-args.ts";
import { PauseWorkflow } from "./pause-workflow.ts";

/** What the jobs of workflows need. */
export interface WorkflowJobDeps extends WorkflowPorts {
  readonly database: Database;
  readonly clock: Clock;
  /** Told of what nobody expected; the task has failed by it. */
  readonly onFailure: (error: AppError) => void;
}

/** A step that fails for a reason that may pass is tried so often. */
const MAX_TRIES = 5;

/**
 * Works on a task until it ends or has to wait. A worker that dies loses nothing but the step it was at; the next begins
 * at the first step that was not done.
 */
export function createWorkflowJobHandler(deps: WorkflowJobDeps): JobHandler {
  return async (run) => {
    const id = readTaskId(run);
    const task = await deps.database.transaction((tx) => start(tx, id, deps.clock.now()));
    if (task === undefined) return run.complete();
    const told: Told = { progress: task.progress, signals: [] };
    try {
      const flow = await openFlow(deps, task, run, told);
      const name = workflowNames.find((known) => known === task.workflow);
      if (name === undefined) throw new AppError("invalid_request", `there is no workflow ${task.workflow}`);
      const result = await runFlow(flow, name, task.args);
      const steps = showSteps(await listWorkflowSteps(deps.database, id));
      return await run.complete((tx) =>
        end(tx, id, { move: "complete", result: { ...result, steps }, now: deps.clock.now() }, told.signals),
      );
    } catch (error) {
      if (error instanceof PauseWorkflow) return run.complete((tx) => queueWorkflow(tx, task, error.until));
      run.signal.throwIfAborted();
      const failure = AppError.from(error);
      if (failure.retryable && run.job.attempts < MAX_TRIES) throw failure;
      if (failure.code === "canceled") return run.complete();
      const message = failure.code === "internal" ? "the server failed at this; its log says why" : failure.message;
      const shown = { step: told.progress.step, message, recoverable: failure.retryable };
      if (failure.code === "internal") deps.onFailure(failure);
      return run.complete((tx) => end(tx, id, { move: "fail", error: shown, now: deps.clock.now() }));
    }
  };
}

/** Stops what a cancelled task set going and is still at work. */
export function createWorkflowCleanupHandler(deps: WorkflowJobDeps): JobHandler {
  return async (run) => {
    const task = await findWorkflow(deps.database, readTaskId(run));
    for (const { kind, id } of task?.made ?? []) {
      if (task === undefined) break;
      await unlessGone(
        kind === "webset" ? deps.websets.cancel(task.teamId, id, run.signal) : deps.research.cancel(task.teamId, id),
      );
    }
    return run.complete();
  };
}

/** The steps as a result shows them. */
export function showSteps(
  steps: readonly WorkflowStep[],
): readonly { readonly name: string; readonly durationMs: number }[] {
  return steps.map(({ name, startedAt, finishedAt }) => ({
    name,
    durationMs: finishedAt.getTime() - startedAt.getTime(),
  }));
}

async function start(tx: Transaction, id: string, now: Date): Promise<WorkflowTask | undefined> {
  const known = await findWorkflow(tx, id);
  if (known === undefined) return undefined;
  return moveWorkflowBy(tx, id, { move: "start", now });
}

/** What a run has said so far, of its way and of what it is to announce. */
interface Told {
  progress: WorkflowProgress;
  readonly signals: FlowSignal[];
}

async function end(
  tx: Transaction,
  id: string,
  change: Parameters<typeof moveWorkflowBy>[2],
  signals: readonly FlowSignal[] = [],
): Promise<void> {
  const task = await moveWorkflowBy(tx, id, change);
  if (task === undefined) return;
  const data = { id, object: "workflow_task", workflow: task.workflow, status: task.status } as const;
  const event = { teamId: task.teamId, type: `workflow.${task.status}`, resource: { kind: "workflow", id }, data };
  await appendEvent(tx, event, change.now);
  for (const { name, data: told } of signals) {
    const resource = { kind: SIGNAL_RESOURCE, id: name };
    const about = { id: name, object: "signal", taskId: id, ...(told as { readonly [key: string]: Json }) };
    await appendEvent(tx, { teamId: task.teamId, type: SIGNAL_EVENT, resource, data: about }, change.now);
  }
}

async function openFlow(deps: WorkflowJobDeps, task: WorkflowTask, run: JobRun, told: Told): Promise<Flow> {
  const { database, clock } = deps;
  const done = new Map((await listWorkflowSteps(database, task.id)).map(({ name, result }) => [name, result]));
  const keep = async (name: string, startedAt: Date, result: Plain, made: WorkflowTask["made"]): Promise<Json> => {
    const step = { name, result: JSON.parse(JSON.stringify(result)) as Json, startedAt, finishedAt: clock.now(), made };
    const kept = await keepWorkflowStep(database, task.id, step);
    done.set(name, kept);
    return kept;
  };
  const step: Flow["step"] = async <T extends Plain>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    options: { readonly made?: (result: T) => WorkflowTask["made"] } = {},
  ) => {
    const known = done.get(name);
    if (known !== undefined) return known as T; // kept from this very step
    run.signal.throwIfAborted();
    const startedAt = clock.now();
    const result = await work(run.signal);
    return (await keep(name, startedAt, result, options.made?.(result) ?? [])) as T; // kept from this very step
  };
  return {
    ...deps,
    teamId: task.teamId,
    taskId: task.id,
    signal: run.signal,
    begunAt: task.createdAt,
    step,
    waitFor: async <T extends Plain>(
      name: string,
      { everyMs, limitMs }: { readonly everyMs: number; readonly limitMs: number },
      look: (signal: AbortSignal) => Promise<T | undefined>,
    ) => {
      const known = done.get(name) as { readonly found: T | null } | undefined;
      if (known !== undefined) return known.found ?? undefined;
      const begun: number = await step(`${name}: begun`, () => Promise.resolve(clock.now().getTime()));
      run.signal.throwIfAborted();
      const found = await look(run.signal);
      const now = clock.now();
      if (found === undefined && now.getTime() - begun < limitMs)
        throw new PauseWorkflow(new Date(now.getTime() + everyMs));
      await keep(name, new Date(begun), { found: found ?? null }, []);
      return found;
    },
    tell: async ({ partialResult, ...progress }) => {
      told.progress = progress;
      const partial = partialResult === undefined ? {} : { partialResult: { ...partialResult } as Json };
      await tellWorkflowProgress(database, task.id, { progress, ...partial, now: clock.now() });
    },
    announce: (signal) => void told.signals.push(signal),
    recall: async (name) => await findWorkflowMemory(database, task.teamId, name),
    remember: (name, value) =>
      keepWorkflowMemory(database, {
        teamId: task.teamId,
        name,
        taskId: task.id,
        value: value as Json,
        now: clock.now(),
      }),
  };
}

function readTaskId({ job }: JobRun): string {
  const { payload } = job;
  if (typeof payload === "object" && payload !== null && "taskId" in payload && typeof payload["taskId"] === "string") {
    return payload["taskId"];
  }
  throw new AppError("invalid_request", "the payload of a workflow's job must name its task", { retryable: false });
}
