import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { cancelJob } from "./cancel-jobs.ts";
import { enqueueJob, enqueueJobs, type NewJob } from "./enqueue-job.ts";
import { extendLeases } from "./extend-leases.ts";
import { getJob } from "./find-jobs.ts";
import type { LeasedJob } from "./job.ts";
import { requeueDeadJobs } from "./requeue-dead-jobs.ts";
import { completeJob, completeJobs, failJob, handBackJobs, requeueLostJobs } from "./settle-job.ts";
import { claimAll, expireLeases, first } from "./testing.ts";

/** A database with one job, claimed. */
function withClaimedJob(part: Partial<NewJob>, work: (db: Database, job: LeasedJob) => Promise<void>): Promise<void> {
  return withDatabase(async (db) => {
    await enqueueJob(db, { kind: "a", payload: null, ...part });
    await work(db, first(await claimAll(db, "a")));
  });
}

const flaky = new AppError("upstream_failed", "no answer from example.org", { retryable: true });

describe("completeJob", () => {
  it("commits with the effect, or not at all", () =>
    withClaimedJob({}, async (db, job) => {
      await db.query("CREATE TABLE effects (job_id text)");
      const failing = db.transaction(async (tx) => {
        await tx.query("INSERT INTO effects VALUES ($1)", [job.id]);
        await completeJob(tx, job.lease);
        throw new AppError("internal", "at the last moment");
      });
      await expect(failing).rejects.toThrow("at the last moment");
      expect((await getJob(db, job.id)).state).toBe("running");

      await db.transaction(async (tx) => {
        await tx.query("INSERT INTO effects VALUES ($1)", [job.id]);
        await completeJob(tx, job.lease, { progress: { done: 1 } });
      });
      expect(await getJob(db, job.id)).toMatchObject({ state: "completed", progress: { done: 1 }, error: null });
      expect(await db.query("SELECT * FROM effects")).toEqual([{ job_id: job.id }]);
    }));

  verifies("jobs:lease:token-checked", "refuses a worker that lost its lease, and its effect", () =>
    withClaimedJob({}, async (db, job) => {
      await expireLeases(db);
      expect(await requeueLostJobs(db)).toMatchObject([{ id: job.id, kind: "a", state: "queued" }]);
      await expect(completeJob(db, job.lease)).rejects.toMatchObject({ code: "conflict" });
      const again = first(await claimAll(db, "a"));
      await expect(completeJob(db, job.lease)).rejects.toMatchObject({ code: "conflict" });
      expect(await failJob(db, job, flaky)).toEqual({ kind: "lost" });
      expect(await handBackJobs(db, [job.lease])).toEqual([]);
      await completeJob(db, again.lease);
      await expect(completeJob(db, again.lease)).rejects.toMatchObject({ code: "conflict" });
    }),
  );

  it("completes many, all or none", () =>
    withDatabase(async (db) => {
      await enqueueJobs(
        db,
        [1, 2, 3].map((payload) => ({ kind: "a", payload })),
      );
      const leases = (await claimAll(db, "a")).map(({ lease }) => lease);
      await completeJob(db, first(leases));
      await expect(db.transaction((tx) => completeJobs(tx, leases))).rejects.toMatchObject({ code: "conflict" });
      await completeJobs(db, leases.slice(1));
    }));

  it("refuses a job that was called off", () =>
    withClaimedJob({}, async (db, job) => {
      expect(await cancelJob(db, job.id)).toBe("stopping");
      await expect(completeJob(db, job.lease)).rejects.toMatchObject({ code: "canceled" });
      expect(await failJob(db, job, flaky)).toEqual({ kind: "canceled" });
      expect((await getJob(db, job.id)).state).toBe("canceled");
    }));
});

describe("failJob", () => {
  verifies("jobs:retry:back-off", "lets the job wait, longer each time", () =>
    withClaimedJob({}, async (db, job) => {
      const options = { random: () => 0, now: new Date("2030-01-01T00:00:00Z") };
      expect(await failJob(db, job, flaky, options)).toEqual({ kind: "retrying", inMs: 1_000 });
      expect(await getJob(db, job.id)).toMatchObject({
        state: "scheduled",
        attempts: 1,
        runAt: new Date("2030-01-01T00:00:01Z"),
        error: { code: "upstream_failed", message: "no answer from example.org" },
      });
      await db.query("UPDATE jobs SET run_at = now()");
      const second = first(await claimAll(db, "a"));
      expect(await failJob(db, second, flaky, options)).toEqual({ kind: "retrying", inMs: 2_000 });
    }),
  );

  verifies("jobs:retry:dead-letter", "keeps a job whose last try failed, with its error", () =>
    withClaimedJob({ maxAttempts: 1 }, async (db, job) => {
      expect(await failJob(db, job, AppError.from(new TypeError("x is undefined")))).toEqual({ kind: "dead" });
      expect(await getJob(db, job.id)).toMatchObject({
        state: "dead",
        error: { code: "internal", message: "something went wrong on the server: x is undefined" },
        finishedAt: expect.any(Date) as Date,
      });
    }),
  );

  verifies("jobs:retry:not-retryable", "takes no for an answer at once", () =>
    withClaimedJob({ maxAttempts: 5 }, async (db, job) => {
      expect(await failJob(db, job, new AppError("not_found", "no such page"))).toEqual({ kind: "dead" });
    }),
  );

  verifies("jobs:retry:requeue-dead", "leaves a dead job that can be queued again, with all its tries", () =>
    withClaimedJob({ teamId: "team_1" }, async (db, job) => {
      await failJob(db, job, new AppError("not_found", "no such page"));
      expect(await requeueDeadJobs(db, [job.id], { teamId: "team_2" })).toEqual([]);
      expect(await requeueDeadJobs(db, [job.id, "job_unknown"], { teamId: "team_1" })).toEqual([job.id]);
      expect(await requeueDeadJobs(db, [job.id])).toEqual([]);
      expect(first(await claimAll(db, "a"))).toMatchObject({ id: job.id, attempts: 1 });
    }),
  );
});

describe("extendLeases", () => {
  verifies("jobs:lease:heartbeat-extends", "keeps a lease from running out, and stores progress", () =>
    withClaimedJob({}, async (db, job) => {
      await expireLeases(db);
      const status = { jobId: job.id, isHeld: true, isExtended: true, isCancelRequested: false };
      expect(await extendLeases(db, [{ lease: job.lease, progress: { done: 3 } }], 60_000)).toEqual([status]);
      expect(await requeueLostJobs(db)).toEqual([]);
      expect(await extendLeases(db, [{ lease: job.lease }], 60_000)).toEqual([status]);
      expect((await getJob(db, job.id)).progress).toEqual({ done: 3 });
    }),
  );

  it("tells of a job called off, taken away, or locked for a moment", () =>
    withClaimedJob({}, async (db, job) => {
      const beat = (): Promise<unknown> => extendLeases(db, [{ lease: job.lease }], 60_000);
      await db.transaction(async (tx) => {
        await cancelJob(tx, job.id);
        expect(await beat()).toMatchObject([{ isHeld: true, isExtended: false, isCancelRequested: false }]);
      });
      expect(await beat()).toMatchObject([{ isHeld: true, isExtended: true, isCancelRequested: true }]);
      await expireLeases(db);
      await requeueLostJobs(db);
      expect(await beat()).toMatchObject([{ isHeld: false, isExtended: false }]);
    }));
});

describe("requeueLostJobs", () => {
  verifies("jobs:lease:expired-is-retaken", "gives a silent worker's job to another", () =>
    withClaimedJob({}, async (db, job) => {
      expect(await claimAll(db, "a")).toEqual([]);
      await expireLeases(db);
      await requeueLostJobs(db);
      expect(first(await claimAll(db, "a"))).toMatchObject({ id: job.id, attempts: 2 });
    }),
  );

  it("buries a job that lost its worker on the last try, and a canceled one", () =>
    withDatabase(async (db) => {
      await enqueueJobs(db, [
        { kind: "a", payload: "deadly", maxAttempts: 1 },
        { kind: "a", payload: "called off" },
      ]);
      const [deadly, calledOff] = await claimAll(db, "a");
      await cancelJob(db, calledOff?.id ?? "");
      await expireLeases(db);
      await requeueLostJobs(db);
      expect(await getJob(db, deadly?.id ?? "")).toMatchObject({ state: "dead", error: { code: "unavailable" } });
      expect(await getJob(db, calledOff?.id ?? "")).toMatchObject({ state: "canceled" });
    }));

  it("leaves a job alone whose completion is being committed", () =>
    withClaimedJob({}, async (db, job) => {
      await expireLeases(db);
      await db.transaction(async (tx) => {
        await completeJob(tx, job.lease);
        expect(await requeueLostJobs(db)).toEqual([]);
      });
      expect((await getJob(db, job.id)).state).toBe("completed");
    }));
});

describe("handBackJobs", () => {
  it("queues jobs again as if never begun", () =>
    withClaimedJob({}, async (db, job) => {
      expect(await handBackJobs(db, [job.lease])).toEqual([job.id]);
      expect(await getJob(db, job.id)).toMatchObject({ state: "queued", attempts: 0, error: null });
    }));
});
