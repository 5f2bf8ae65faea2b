import { AppError, type Clock } from "@quarry/base";
import type { Caller } from "@quarry/contract";
import {
  cancelResearch,
  dropExpiredResults,
  endBatch,
  enqueueBatchJob,
  failOpenRequests,
  findBatch,
  getKey,
  isBatchOver,
  listOpenRequests,
  lockBatch,
  setJobSchedule,
  settleRequests,
  statusOfKey,
  writeUsage,
  type Batch,
  type BatchOutcome,
  type BatchRequest,
  type Database,
  type JobHandler,
  type Json,
  type UsageRecord,
} from "@quarry/store";

/** The operations that requests of a batch become. */
export type BatchOperation = "search" | "createAgentRun" | "getAgentRun";

/** What an operation answered, as the door would have, an error too. */
export interface OperationReply {
  readonly statusCode: number;
  readonly body: Json;
  readonly tokens: number;
  readonly costDollars: number;
}

/** What the jobs of batches need. */
export interface BatchJobDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Does an operation of the API as if the caller had asked for it. Rejects only when `signal` aborts. */
  readonly call: (
    operation: BatchOperation,
    input: {
      readonly caller: Caller;
      readonly params?: Readonly<Record<string, string>>;
      readonly body?: Json;
      /** The id of what the operation makes. */
      readonly newId?: string;
    },
    signal: AbortSignal,
  ) => Promise<OperationReply>;
}

/** The kind of the daily job that throws away old results. */
export const BATCH_SWEEP_JOB = "batch-sweep";

/** Requests of one job, and how many of them at once: others must have room. */
const SLICE = 16;
const AT_ONCE = 4;
/** Runs under way that one job looks at. */
const RUNS_PER_LOOK = 200;
/** Agent runs of one batch under way at once. */
const RUNS_AT_ONCE = 20;
const LOOK_AGAIN_MS = 1_000;
/** How often a request is put off because the server is busy, before that is its answer. */
const MAX_TRIES = 20;
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const ENDED_RUNS: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/**
 * Does the jobs of kind `batch`: a slice of requests, kept in one transaction with the job that does the next slice. What a killed
 * worker had not kept is asked again; agent runs have their ids beforehand, so none begins twice.
 */
export function createBatchJobHandler(deps: BatchJobDeps): JobHandler {
  const { database, clock } = deps;
  return async (run) => {
    const { batchId } = run.job.payload as { readonly batchId: string };
    const batch = await findBatch(database, batchId);
    if (batch === undefined || isBatchOver(batch.status)) return run.complete();
    if (batch.status === "cancelling") {
      await cancelRuns(deps, batch);
      return run.complete(async (tx) => {
        if ((await lockBatch(tx, batchId)) === undefined) return;
        await failOpenRequests(tx, batchId, {
          code: "CANCELLED",
          message: "the batch was cancelled before this request",
        });
        await endBatch(tx, batchId, { status: "cancelled", ...timesOf(clock.now()) });
      });
    }
    const caller = await callerOf(deps, batch);
    if (typeof caller === "string") {
      return run.complete(async (tx) => {
        if ((await lockBatch(tx, batchId)) === undefined) return;
        await failOpenRequests(tx, batchId, { code: "INVALID_API_KEY", message: caller });
        await endBatch(tx, batchId, { status: "completed", ...timesOf(clock.now()) });
      });
    }
    const done = await doSlice(deps, { batch, caller }, run.signal);
    return run.complete(async (tx) => {
      const locked = await lockBatch(tx, batchId);
      if (locked === undefined) return; // deleted
      await settleRequests(tx, batchId, done.outcomes);
      await writeUsage(tx, done.usage);
      const status = locked.status === "cancelling" ? "cancelled" : "completed";
      if (await endBatch(tx, batchId, { status, ...timesOf(clock.now()) })) return;
      const pause = done.progressed ? undefined : new Date(clock.now().getTime() + LOOK_AGAIN_MS);
      await enqueueBatchJob(tx, batch, pause);
    });
  };
}

/** Has old results thrown away every night. */
export async function scheduleBatchSweep(db: Database): Promise<void> {
  await setJobSchedule(db, {
    name: BATCH_SWEEP_JOB,
    kind: BATCH_SWEEP_JOB,
    payload: {},
    pattern: "53 3 * * *",
    timeZone: "Etc/UTC",
  });
}

/** Throws away the results of batches that have expired. */
export function createBatchSweepHandler({ database, clock }: Pick<BatchJobDeps, "database" | "clock">): JobHandler {
  return async (run) => {
    await dropExpiredResults(database, clock.now());
    return run.complete();
  };
}

interface SliceOutcome {
  readonly outcomes: readonly { readonly number: number; readonly outcome: BatchOutcome }[];
  readonly usage: readonly UsageRecord[];
  /** Whether there may be more to do at once. */
  readonly progressed: boolean;
}

async function doSlice(
  deps: BatchJobDeps,
  { batch, caller }: { readonly batch: Batch; readonly caller: Caller },
  signal: AbortSignal,
): Promise<SliceOutcome> {
  const { database } = deps;
  const running = await listOpenRequests(database, batch.id, { status: "running", limit: RUNS_PER_LOOK });
  const pending = await listOpenRequests(database, batch.id, { status: "pending", limit: SLICE });
  const room = Math.max(0, RUNS_AT_ONCE - running.length);
  const runs = pending.filter(({ runId }) => runId !== null).slice(0, room);
  const begun = [...pending.filter(({ runId }) => runId === null), ...runs];
  const outcomes: { readonly number: number; readonly outcome: BatchOutcome }[] = [];
  const usage: UsageRecord[] = [];
  const work = [
    ...running.map((request) => ({ request, isRunning: true })),
    ...begun.map((request) => ({ request, isRunning: false })),
  ];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = work.shift(); next !== undefined; next = work.shift()) {
      signal.throwIfAborted();
      const { request, isRunning } = next;
      const began = performance.now();
      const reply = await askOne(deps, request, { caller, isRunning }, signal);
      outcomes.push({ number: request.number, outcome: outcomeOf(request, reply, isRunning) });
      if (isRunning) continue;
      usage.push({
        teamId: batch.teamId,
        keyId: batch.keyId,
        endpoint: `POST ${request.url}`,
        status: reply.statusCode,
        latencyMs: performance.now() - began,
        tokens: reply.tokens,
        costDollars: reply.costDollars,
        at: deps.clock.now(),
      });
    }
  });
  await Promise.all(workers);
  const progressed = outcomes.some(({ outcome }) => outcome.kind === "answered") || begun.length > 0;
  const isPutOff = outcomes.some(({ outcome }) => outcome.kind === "again");
  return { outcomes, usage, progressed: progressed && !isPutOff };
}

function askOne(
  deps: BatchJobDeps,
  request: BatchRequest,
  { caller, isRunning }: { readonly caller: Caller; readonly isRunning: boolean },
  signal: AbortSignal,
): Promise<OperationReply> {
  const { url, body, runId } = request;
  if (url === "/search" || runId === null) return deps.call("search", { caller, body }, signal);
  if (isRunning) return deps.call("getAgentRun", { caller, params: { id: runId } }, signal);
  return deps.call("createAgentRun", { caller, body, newId: runId }, signal);
}

function outcomeOf(request: BatchRequest, reply: OperationReply, isRunning: boolean): BatchOutcome {
  const { statusCode, body } = reply;
  const isBusy = statusCode === 429 || statusCode === 503;
  if (isBusy && isRunning) return { kind: "running" };
  if (isBusy && request.tries < MAX_TRIES) return { kind: "again" };
  if (statusCode >= 400) return { kind: "answered", statusCode, body, isFailure: true };
  if (request.runId === null) return { kind: "answered", statusCode, body, isFailure: false };
  const { status } = body as { readonly status?: string };
  if (!ENDED_RUNS.has(status)) return { kind: "running" };
  return { kind: "answered", statusCode, body, isFailure: status !== "completed" };
}

/** In whose name requests are done: the key's, as it is now; a sentence when it may do no more. */
async function callerOf({ database, clock }: BatchJobDeps, batch: Batch): Promise<Caller | string> {
  const { teamId, keyId } = batch;
  if (keyId === null) return { teamId, keyId, name: "batch", scopes: ["all"], via: "none" };
  const key = await getKey(database, teamId, keyId).catch((thrown: unknown) => {
    if (AppError.from(thrown).code === "not_found") return undefined;
    throw thrown;
  });
  if (key === undefined || statusOfKey(key, clock.now()) !== "active") {
    return "the key that made this batch was revoked or has expired; make the batch again with another key";
  }
  if (key.budgetDollars !== null && key.spentDollars >= key.budgetDollars) {
    return `the key that made this batch has spent its budget of $${key.budgetDollars}; raise it and make the batch again`;
  }
  return { teamId, keyId, name: key.name, scopes: key.scopes, via: "key" };
}

/** At most RUNS_AT_ONCE are under way. */
async function cancelRuns({ database, clock }: BatchJobDeps, batch: Batch): Promise<void> {
  const running = await listOpenRequests(database, batch.id, { status: "running", limit: RUNS_PER_LOOK });
  for (const { runId } of running) {
    if (runId === null) continue;
    await cancelResearch(database, batch.teamId, runId, clock.now()).catch((thrown: unknown) => {
      if (AppError.from(thrown).code !== "not_found") throw thrown; // one that was deleted needs no end
    });
  }
}

function timesOf(now: Date): { readonly now: Date; readonly expiresAt: Date } {
  return { now, expiresAt: new Date(now.getTime() + KEPT_MS) };
}
