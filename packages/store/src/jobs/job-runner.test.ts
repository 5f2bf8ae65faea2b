import { AppError, sleep } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { cancelJob } from "./cancel-jobs.ts";
import { claimJobs } from "./claim-jobs.ts";
import { enqueueJob, enqueueJobs } from "./enqueue-job.ts";
import { countJobs, getJob } from "./find-jobs.ts";
import type { JobCompletion, JobHandler, JobRun } from "./job-handler.ts";
import { startJobRunner, type JobRunner, type JobRunnerEvent, type JobRunnerOptions } from "./job-runner.ts";
import { setJobSchedule } from "./job-schedules.ts";

/** Long enough that a test which needs the poll, not the wake-up, runs into its time limit. */
const NEVER_MS = 3_600_000;

interface World {
  readonly db: Database;
  readonly events: JobRunnerEvent[];
  /** Starts another runner; all are stopped when the test ends. */
  readonly start: (handlers: Record<string, JobHandler>, options?: Partial<JobRunnerOptions>) => Promise<JobRunner>;
  /** Resolves when the job is in a final state, or in the one given. */
  readonly settled: (id: string, state?: string) => Promise<string>;
}

function withRunners(work: (world: World) => Promise<void>): Promise<void> {
  return withDatabase(async (db) => {
    const runners: JobRunner[] = [];
    const events: JobRunnerEvent[] = [];
    const start: World["start"] = async (handlers, options) => {
      const onEvent = (event: JobRunnerEvent): void => void events.push(event);
      const runner = await startJobRunner({ database: db, handlers, pollMs: NEVER_MS, onEvent, ...options });
      runners.push(runner);
      return runner;
    };
    const settled: World["settled"] = async (id, state) => {
      const wanted = state === undefined ? ["completed", "dead", "canceled"] : [state];
      await expect.poll(async () => (await getJob(db, id)).state, { timeout: 10_000, interval: 10 }).toBeOneOf(wanted);
      return (await getJob(db, id)).state;
    };
    try {
      await db.query("CREATE TABLE effects (job_id text NOT NULL, payload jsonb)");
      await work({ db, events, start, settled });
    } finally {
      await Promise.all(runners.map((runner) => runner.stop({ deadlineMs: 0 })));
    }
  });
}

/** The natural use: what is slow first, then the effect together with the completion. */
const writeEffect: JobHandler = ({ job, complete }) =>
  complete(async (tx) => {
    await tx.query("INSERT INTO effects VALUES ($1, $2)", [job.id, JSON.stringify(job.payload)]);
  });

/** Waits until its signal aborts, and rejects with the reason. */
const waitForAbort = async ({ signal }: JobRun): Promise<JobCompletion> => {
  await sleep(60_000, signal);
  throw new Error("nobody aborted");
};

function countEffects(db: Database): Promise<readonly unknown[]> {
  return db.query("SELECT job_id, count(*) AS times FROM effects GROUP BY job_id ORDER BY job_id");
}

describe("a job runner", () => {
  verifies("jobs:wake:without-polling", "is woken by the commit that adds a job, and does not poll", () =>
    withRunners(async ({ db, start, settled }) => {
      let claims = 0;
      const counting: Database = {
        ...db,
        query: (sql, values) => {
          if (sql.includes("claim_jobs")) claims += 1;
          return db.query(sql, values);
        },
      };
      await start({ write: writeEffect }, { database: counting });
      await expect.poll(() => claims).toBe(1);
      const { id } = await db.transaction((tx) => enqueueJob(tx, { kind: "write", payload: null }));
      expect(await settled(id)).toBe("completed");
      await enqueueJob(db, { kind: "other", payload: null }); // wakes nobody here
      const { id: second } = await enqueueJob(db, { kind: "write", payload: null });
      expect(await settled(second)).toBe("completed");
      expect(claims).toBeLessThanOrEqual(5); // at the start, and once or twice a job: when added, when its slot is free
    }),
  );

  verifies("jobs:schedule:delayed", "wakes by itself for a delayed job", () =>
    withRunners(async ({ db, start, settled }) => {
      await start({ write: writeEffect });
      const { id } = await enqueueJob(db, { kind: "write", payload: null, runAt: new Date(Date.now() + 300) });
      expect(await settled(id)).toBe("completed");
      const job = await getJob(db, id);
      expect((job.startedAt?.getTime() ?? 0) - job.runAt.getTime()).toBeGreaterThanOrEqual(0);
    }),
  );

  it("writes each effect once, when runners compete and handlers fail after the commit", () =>
    withRunners(async ({ db, events, start }) => {
      const sloppy: JobHandler = async (run) => {
        await writeEffect(run);
        throw new Error("after the commit");
      };
      await Promise.all([start({ write: sloppy }), start({ write: sloppy }), start({ write: sloppy })]);
      const jobs = await enqueueJobs(
        db,
        Array.from({ length: 100 }, (_, payload) => ({ kind: "write", payload })),
      );
      await expect.poll(async () => (await countJobs(db)).completed, { timeout: 10_000 }).toBe(100);
      const ids = jobs.map(({ id }) => id).sort();
      expect(await countEffects(db)).toEqual(ids.map((job_id) => ({ job_id, times: 1 })));
      const isLate = (event: JobRunnerEvent): boolean => event.kind === "job-ended" && "lateError" in event.outcome;
      await expect.poll(() => events.filter(isLate).length).toBe(100);
    }));

  it("tries again as the error asks, and keeps nothing of the failed try", () =>
    withRunners(async ({ db, events, start, settled }) => {
      const flaky: JobHandler = async (run) =>
        run.complete(async (tx) => {
          await tx.query("INSERT INTO effects VALUES ($1)", [run.job.id]);
          if (run.job.attempts < 3) {
            throw new AppError("upstream_failed", "no answer", { retryable: true, retryAfterMs: 20 });
          }
        });
      await start({ write: flaky });
      const { id } = await enqueueJob(db, { kind: "write", payload: null });
      expect(await settled(id)).toBe("completed");
      expect(await countEffects(db)).toEqual([{ job_id: id, times: 1 }]);
      await expect
        .poll(() => events.map((event) => event.kind === "job-ended" && event.outcome.kind))
        .toEqual(["retrying", "retrying", "completed"]);
    }));

  it("calls a handler that forgot to complete a failure", () =>
    withRunners(async ({ db, start, settled }) => {
      const forgetful = (() => Promise.resolve()) as unknown as JobHandler;
      await start({ write: forgetful });
      const { id } = await enqueueJob(db, { kind: "write", payload: null, maxAttempts: 1 });
      expect(await settled(id)).toBe("dead");
      expect((await getJob(db, id)).error?.message).toContain("without completing");
    }));

  verifies("jobs:lease:heartbeat-extends", "keeps a job that runs for many leases", () =>
    withRunners(async ({ db, start, settled }) => {
      const started: string[] = [];
      const slow: JobHandler = async (run) => {
        started.push(run.job.id);
        await sleep(2_500, run.signal);
        return writeEffect(run);
      };
      await Promise.all([start({ write: slow }, { leaseMs: 900 }), start({ write: slow }, { leaseMs: 900 })]);
      const { id } = await enqueueJob(db, { kind: "write", payload: null });
      expect(await settled(id)).toBe("completed");
      expect(started).toEqual([id]);
    }),
  );

  verifies("jobs:lease:expired-is-retaken", "takes over from a worker that fell silent", () =>
    withRunners(async ({ db, events, start, settled }) => {
      const { id } = await enqueueJob(db, { kind: "write", payload: null });
      await claimJobs(db, { kinds: ["write"], workerId: "dies", limit: 1, leaseMs: 300 });
      const runner = await start({ write: writeEffect }, { leaseMs: 300 });
      expect(await settled(id)).toBe("completed");
      expect(await getJob(db, id)).toMatchObject({ attempts: 2, workerId: runner.workerId });
      expect(events).toContainEqual({ kind: "jobs-lost", jobs: [expect.objectContaining({ id, state: "queued" })] });
    }),
  );

  verifies("jobs:lease:token-checked", "aborts a job that was taken away, and keeps nothing of it", () =>
    withRunners(async ({ db, events, start, settled }) => {
      const runs: JobRun[] = [];
      const stubborn: JobHandler = async (run) => {
        runs.push(run);
        if (run.job.attempts > 1) return writeEffect(run);
        await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
        return writeEffect(run); // although told that it is no longer its job
      };
      await start({ write: stubborn }, { leaseMs: 300 });
      const { id } = await enqueueJob(db, { kind: "write", payload: null });
      await expect.poll(() => runs.length).toBe(1);
      await db.query("UPDATE jobs SET state = 'queued', lease_token = NULL, lease_expires_at = NULL WHERE id = $1", [
        id,
      ]);
      expect(await settled(id)).toBe("completed");
      expect(await countEffects(db)).toEqual([{ job_id: id, times: 1 }]);
      await expect
        .poll(() => events.flatMap((event) => (event.kind === "job-ended" ? event.outcome.kind : [])).sort())
        .toEqual(["completed", "lost"]);
    }),
  );

  it("gives a job back, uncounted and alive, when its heartbeats do not get through", () =>
    withRunners(async ({ db, events, start, settled }) => {
      const cutOff: Database = {
        ...db,
        query: (sql, values) =>
          sql.includes("is_cancel_requested")
            ? Promise.reject(new AppError("unavailable", "no way to the database", { retryable: true }))
            : db.query(sql, values),
      };
      let tries = 0;
      const handler: JobHandler = (run) => ((tries += 1) === 1 ? waitForAbort(run) : writeEffect(run));
      await start({ write: handler }, { database: cutOff, leaseMs: 600 });
      const { id } = await enqueueJob(db, { kind: "write", payload: null, maxAttempts: 1 });
      await settled(id, "running");
      await db.query("UPDATE jobs SET lease_expires_at = now() + interval '1 hour'"); // nobody else takes it
      expect(await settled(id)).toBe("completed");
      expect((await getJob(db, id)).attempts).toBe(1);
      const outcomes = (): unknown => events.flatMap((event) => (event.kind === "job-ended" ? event.outcome.kind : []));
      await expect.poll(outcomes).toEqual(["handed-back", "completed"]);
      expect(events).toContainEqual(expect.objectContaining({ kind: "step-failed", step: "heartbeat" }));
    }));

  verifies("jobs:cancel:running", "aborts a canceled job soon, without waiting for a heartbeat", () =>
    withRunners(async ({ db, start, settled }) => {
      const reasons: unknown[] = [];
      await start(
        { wait: (run) => waitForAbort(run).finally(() => reasons.push(run.signal.reason)) },
        { leaseMs: NEVER_MS },
      );
      const { id } = await enqueueJob(db, { kind: "wait", payload: null });
      await settled(id, "running");
      expect(await db.transaction((tx) => cancelJob(tx, id))).toBe("stopping");
      expect(await settled(id)).toBe("canceled");
      expect(reasons).toEqual([expect.objectContaining({ code: "canceled" })]);
    }),
  );

  it("aborts a canceled job at the next heartbeat when the word was missed", () =>
    withRunners(async ({ db, start, settled }) => {
      await start({ wait: waitForAbort }, { leaseMs: 300 });
      const { id } = await enqueueJob(db, { kind: "wait", payload: null });
      await settled(id, "running");
      await db.query("UPDATE jobs SET cancel_requested_at = now() WHERE id = $1", [id]);
      expect(await settled(id)).toBe("canceled");
    }));

  verifies("jobs:progress:visible", "shows a job's progress while it runs", () =>
    withRunners(async ({ db, start, settled }) => {
      const go = new AbortController();
      await start({
        count: async (run) => {
          for (let done = 1; done <= 3; done += 1) run.reportProgress({ done });
          await sleep(60_000, go.signal).catch(() => undefined);
          run.reportProgress({ done: 4 });
          return run.complete();
        },
      });
      const { id } = await enqueueJob(db, { kind: "count", payload: null });
      await expect.poll(async () => (await getJob(db, id)).progress).toEqual({ done: 3 });
      go.abort();
      expect(await settled(id)).toBe("completed");
      expect((await getJob(db, id)).progress).toEqual({ done: 4 });
    }),
  );

  verifies(
    "jobs:concurrency:per-key",
    "runs the jobs of one key one by one over several runners, without polling",
    () =>
      withRunners(async ({ db, start }) => {
        let now = 0;
        let most = 0;
        const handler: JobHandler = async (run) => {
          most = Math.max(most, (now += 1));
          await sleep(5);
          now -= 1;
          return writeEffect(run);
        };
        await Promise.all([start({ write: handler }), start({ write: handler }, { concurrency: 1 })]);
        await enqueueJobs(
          db,
          Array.from({ length: 20 }, (_, payload) => ({ kind: "write", payload, key: "host", maxPerKey: 1 })),
        );
        await expect.poll(async () => (await countJobs(db)).completed, { timeout: 15_000 }).toBe(20);
        expect(most).toBe(1);
        expect(await db.query("SELECT payload FROM effects")).toEqual(
          Array.from({ length: 20 }, (_, payload) => ({ payload })),
        );
      }),
  );

  verifies("jobs:schedule:cron-once-among-many", "runs a cron slot once among several runners", () =>
    withRunners(async ({ db, start }) => {
      const runners = Array.from({ length: 3 }, () => start({ write: writeEffect }));
      await Promise.all(runners);
      const daily = { name: "daily", kind: "write", payload: "slot", pattern: "0 3 * * *", timeZone: "Europe/Berlin" };
      await setJobSchedule(db, daily);
      await db.query("UPDATE job_schedules SET next_slot_at = now() - interval '9 days'");
      await setJobSchedule(db, daily); // unchanged, so the missed slot stays due; wakes the runners
      await expect.poll(async () => (await countJobs(db)).completed).toBe(1);
      expect(await db.query("SELECT payload FROM effects")).toEqual([{ payload: "slot" }]);
      expect((await db.query("SELECT 1 FROM job_schedules WHERE next_slot_at > now()")).length).toBe(1);
    }),
  );

  verifies("jobs:wake:after-lost-listener", "forgets no job when its listening connection is cut", () =>
    withRunners(async ({ db, start, settled }) => {
      await start({ write: writeEffect });
      const { id: before } = await enqueueJob(db, { kind: "write", payload: null });
      await settled(before);
      const cut = await db.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
      );
      expect(cut).toHaveLength(1);
      const { id } = await enqueueJob(db, { kind: "write", payload: null });
      expect(await settled(id)).toBe("completed");
    }),
  );
});

describe("a stopping runner", () => {
  verifies("jobs:stop:drains-or-hands-back", "finishes what it can and hands the rest back, uncounted", () =>
    withRunners(async ({ db, start, settled }) => {
      const first = await start({
        wait: waitForAbort,
        write: async (run) => {
          await sleep(100);
          return writeEffect(run);
        },
      });
      const jobs = await enqueueJobs(db, [
        { kind: "wait", payload: null },
        { kind: "write", payload: null },
      ]);
      const [wait, write] = jobs.map(({ id }) => id);
      await settled(wait ?? "", "running");
      await settled(write ?? "", "running");
      const stopping = first.stop({ deadlineMs: 500 });
      const { id: late } = await enqueueJob(db, { kind: "write", payload: null });
      expect(await stopping).toEqual({ handedBack: [wait] });
      expect(await getJob(db, write ?? "")).toMatchObject({ state: "completed" });
      expect(await getJob(db, wait ?? "")).toMatchObject({ state: "queued", attempts: 0 });
      expect(await getJob(db, late)).toMatchObject({ state: "queued", attempts: 0 });

      await start({ wait: writeEffect, write: writeEffect });
      expect([await settled(wait ?? ""), await settled(late)]).toEqual(["completed", "completed"]);
      expect(await countEffects(db)).toHaveLength(3);
    }),
  );

  it("ends at once when it has nothing to do, and may be told twice", () =>
    withRunners(async ({ start }) => {
      const runner = await start({ write: writeEffect });
      const startedAtMs = performance.now();
      expect(await Promise.all([runner.stop(), runner.stop()])).toEqual([{ handedBack: [] }, { handedBack: [] }]);
      expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    }));
});
