import { AppError } from "@quarry/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { cancelJob } from "./cancel-jobs.ts";
import { claimJobs } from "./claim-jobs.ts";
import { enqueueJob } from "./enqueue-job.ts";
import { isFinished, moveJob, type JobEvent, type JobLifecycle } from "./job-state.ts";
import type { LeasedJob } from "./job.ts";
import { requeueDeadJobs } from "./requeue-dead-jobs.ts";
import { completeJob, failJob, handBackJobs, requeueLostJobs } from "./settle-job.ts";
import { expireLeases } from "./testing.ts";

/** What a caller can do to the queue; numbers choose the job. */
type Action =
  | { readonly kind: "enqueue"; readonly isKeyed: boolean; readonly isDelayed: boolean; readonly maxAttempts: number }
  | { readonly kind: "claim"; readonly limit: number }
  | { readonly kind: "expire" }
  | {
      readonly kind: "complete" | "fail" | "fail-for-good" | "hand-back" | "cancel" | "requeue";
      readonly which: number;
    };

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("enqueue" as const),
      isKeyed: fc.boolean(),
      isDelayed: fc.boolean(),
      maxAttempts: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("claim" as const), limit: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: "expire" }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("complete", "fail", "fail-for-good", "hand-back", "cancel", "requeue"),
      which: fc.nat(20),
    }),
  },
);

const MAX_PER_KEY = 2;

/** The queue as job-state.ts describes it, beside the real one. */
class Model {
  readonly jobs = new Map<string, JobLifecycle & { readonly isKeyed: boolean }>();
  readonly leases: LeasedJob[] = [];

  move(id: string, event: JobEvent): boolean {
    const job = this.jobs.get(id);
    const next = job && moveJob(job, event);
    if (job !== undefined && next !== undefined) this.jobs.set(id, { ...job, ...next });
    return next !== undefined;
  }

  isHeld(lease: LeasedJob): boolean {
    return this.leases.findLast(({ id }) => id === lease.id) === lease && this.jobs.get(lease.id)?.state === "running";
  }
}

async function act(db: Database, model: Model, action: Action): Promise<void> {
  switch (action.kind) {
    case "enqueue": {
      const { id } = await enqueueJob(db, {
        kind: "a",
        payload: null,
        maxAttempts: action.maxAttempts,
        ...(action.isKeyed ? { key: "k", maxPerKey: MAX_PER_KEY } : {}),
        ...(action.isDelayed ? { runAt: new Date(0) } : {}),
      });
      const state = action.isDelayed ? "scheduled" : "queued";
      model.jobs.set(id, { state, attempts: 0, cancelRequested: false, ...action });
      return;
    }
    case "claim": {
      // Far in the future, so that what waits between two tries is due.
      const dueAt = new Date("2100-01-01");
      const claimed = await claimJobs(db, { kinds: ["a"], workerId: "w", limit: action.limit, leaseMs: 60_000, dueAt });
      for (const id of model.jobs.keys()) model.move(id, "came-due");
      for (const job of claimed) {
        model.move(job.id, "key-freed");
        expect(model.move(job.id, "claimed")).toBe(true);
        model.leases.push(job);
      }
      return;
    }
    case "expire":
      await expireLeases(db);
      await requeueLostJobs(db);
      for (const id of model.jobs.keys()) model.move(id, "lease-expired");
      return;
    case "complete":
    case "fail":
    case "fail-for-good":
    case "hand-back":
      return settle(db, model, action.kind, model.leases[action.which % Math.max(model.leases.length, 1)]);
    case "cancel":
    case "requeue": {
      const id = [...model.jobs.keys()][action.which % Math.max(model.jobs.size, 1)];
      if (id === undefined) return;
      if (action.kind === "cancel") {
        const moved = model.move(id, "cancel-requested");
        expect((await cancelJob(db, id)) !== "finished-already").toBe(moved);
      } else {
        const requeued = await requeueDeadJobs(db, [id]);
        expect(requeued).toEqual(model.move(id, "requeued") ? [id] : []);
      }
    }
  }
}

async function settle(
  db: Database,
  model: Model,
  kind: "complete" | "fail" | "fail-for-good" | "hand-back",
  lease: LeasedJob | undefined,
): Promise<void> {
  if (lease === undefined) return;
  const isHeld = model.isHeld(lease);
  if (kind === "complete") {
    const completed = await completeJob(db, lease.lease).then(
      () => true,
      () => false,
    );
    expect(completed).toBe(isHeld && model.move(lease.id, "completed"));
  } else if (kind === "hand-back") {
    expect(await handBackJobs(db, [lease.lease])).toEqual(isHeld ? [lease.id] : []);
    if (isHeld) model.move(lease.id, "handed-back");
  } else {
    const retryable = kind === "fail";
    const outcome = await failJob(db, lease, new AppError("upstream_failed", "no answer", { retryable }));
    expect(outcome.kind === "lost").toBe(!isHeld);
    if (isHeld) model.move(lease.id, retryable ? "failed-retryably" : "failed-for-good");
  }
}

/** A blocked job is a queued one that a claim has looked at: which of them did, is the claim's affair. */
async function compare(db: Database, model: Model): Promise<void> {
  const rows = await db.query<{ id: string; state: string; attempts: number; is_cancel_requested: boolean }>(
    "SELECT id, state, attempts, cancel_requested_at IS NOT NULL AS is_cancel_requested FROM jobs ORDER BY id",
  );
  const due = (state: string): string => (state === "blocked" ? "queued" : state);
  expect(rows.map((row) => [row.id, due(row.state), row.attempts, row.is_cancel_requested])).toEqual(
    [...model.jobs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, job]) => [id, due(job.state), job.attempts, job.cancelRequested]),
  );
  const keyed = [...model.jobs.values()].filter((job) => job.isKeyed && job.state === "running");
  expect(keyed.length).toBeLessThanOrEqual(MAX_PER_KEY);
}

/** Nothing may be left that no claim can reach. */
async function drain(db: Database, model: Model): Promise<void> {
  await act(db, model, { kind: "expire" });
  await db.query("SELECT recheck_job_lanes(false)");
  for (let round = 0; round < 1_000; round += 1) {
    const before = model.leases.length;
    await act(db, model, { kind: "claim", limit: 5 });
    const claimed = model.leases.slice(before);
    if (claimed.length === 0) break;
    for (const lease of claimed) await settle(db, model, "complete", lease);
  }
  await compare(db, model);
  expect([...model.jobs.values()].filter(({ state }) => !isFinished(state))).toEqual([]);
}

describe("the queue", () => {
  it("moves jobs as job-state.ts says, and leaves none behind, whatever is done to it", () =>
    withDatabase(async (db) => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyAction, { minLength: 5, maxLength: 40 }), async (actions) => {
          await db.query("TRUNCATE jobs, job_lanes");
          const model = new Model();
          for (const action of actions) {
            await act(db, model, action);
            await compare(db, model);
          }
          await drain(db, model);
        }),
        { numRuns: 30 },
      );
    }));
});
