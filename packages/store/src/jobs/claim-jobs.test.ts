import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { cancelJob } from "./cancel-jobs.ts";
import { claimJobs, msUntilNextJob } from "./claim-jobs.ts";
import { enqueueJob, enqueueJobs, type NewJob } from "./enqueue-job.ts";
import { countJobs } from "./find-jobs.ts";
import type { LeasedJob } from "./job.ts";
import { completeJob, completeJobs, handBackJobs } from "./settle-job.ts";
import { claimAll, first } from "./testing.ts";

function claim(db: Database, kinds: readonly string[], limit: number): Promise<readonly LeasedJob[]> {
  return claimJobs(db, { kinds, workerId: "tester", limit, leaseMs: 60_000 });
}

function complete(db: Database, jobs: readonly LeasedJob[]): Promise<void> {
  return completeJobs(
    db,
    jobs.map(({ lease }) => lease),
  );
}

const payloads = (jobs: readonly LeasedJob[]): readonly unknown[] => jobs.map(({ payload }) => payload);

describe("claimJobs", () => {
  verifies("jobs:priority:higher-first", "takes higher priority first, then older, over all kinds asked for", () =>
    withDatabase(async (db) => {
      await enqueueJobs(db, [
        { kind: "a", payload: "a1" },
        { kind: "b", payload: "b1" },
        { kind: "a", payload: "a2", priority: 5 },
        { kind: "b", payload: "b2", priority: -5 },
        { kind: "other", payload: "never", priority: 99 },
        { kind: "b", payload: "b3", priority: 5 },
      ]);
      expect(payloads(await claim(db, ["a", "b"], 3))).toEqual(["a2", "b3", "a1"]);
      expect(payloads(await claim(db, ["b", "a"], 9))).toEqual(["b1", "b2"]);
    }),
  );

  verifies("jobs:lease:one-worker", "gives each job to one of many claimers", () =>
    withDatabase(async (db) => {
      await enqueueJobs(
        db,
        Array.from({ length: 300 }, (_, payload) => ({ kind: "a", payload })),
      );
      const claims = await Promise.all(Array.from({ length: 30 }, () => claim(db, ["a"], 10)));
      const ids = claims.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(300);
      expect(new Set(claims.flat().map(({ lease }) => lease.token)).size).toBe(300);
      expect(await claimAll(db, "a")).toEqual([]);
    }),
  );

  verifies("jobs:schedule:delayed", "takes a delayed job at its time and not before", () =>
    withDatabase(async (db) => {
      await enqueueJob(db, { kind: "a", payload: 1, runAt: new Date("2030-01-01T00:00:00Z") });
      expect(await claimAll(db, "a")).toEqual([]);
      const at = (dueAt: string): Promise<readonly LeasedJob[]> =>
        claimJobs(db, { kinds: ["a"], workerId: "w", limit: 1, leaseMs: 1_000, dueAt: new Date(dueAt) });
      expect(await at("2029-12-31T23:59:59.999Z")).toEqual([]);
      expect(await msUntilNextJob(db, new Date("2029-12-31T23:59:59Z"))).toBe(1_000);
      expect(payloads(await at("2030-01-01T00:00:00Z"))).toEqual([1]);
      expect(await msUntilNextJob(db)).toBeUndefined();
    }),
  );

  verifies("jobs:fair:per-team", "lets no team's thousand jobs hold up another team's one", () =>
    withDatabase(async (db) => {
      const ofTeam = (teamId: string, count: number, part: Partial<NewJob> = {}): readonly NewJob[] =>
        Array.from({ length: count }, () => ({ kind: "a", teamId, payload: teamId, ...part }));
      await enqueueJobs(db, [...ofTeam("big", 1_000), ...ofTeam("small", 1), ...ofTeam("urgent", 2, { priority: 1 })]);
      const claimed = payloads(await claim(db, ["a"], 6));
      expect(claimed.slice(0, 2)).toEqual(["urgent", "urgent"]);
      expect(claimed.slice(2).sort()).toEqual(["big", "big", "big", "small"]);

      await enqueueJobs(db, ofTeam("late", 3)); // has none running, where big has three
      expect(payloads(await claim(db, ["a"], 3))).toEqual(["late", "late", "late"]);
      expect(payloads(await claim(db, ["a"], 2))).toEqual(["big", "big"]);
    }),
  );

  it("serves teams by turns with one worker's single hand", () =>
    withDatabase(async (db) => {
      await enqueueJobs(
        db,
        Array.from({ length: 300 }, () => ({ kind: "a", teamId: "big", payload: "big" })),
      );
      await enqueueJob(db, { kind: "a", teamId: "small", payload: "small" });
      const served: unknown[] = [];
      while (!served.includes("small")) {
        const jobs = await claim(db, ["a"], 1);
        served.push(...payloads(jobs));
        await complete(db, jobs);
      }
      expect(served.length).toBeLessThan(60); // an even chance each time: once in 2^60 runs this is chance
    }));

  it("does not wait for a row that someone has locked, nor forget it", () =>
    withDatabase(async (db) => {
      const { id } = await enqueueJob(db, { kind: "a", payload: "locked" });
      await enqueueJob(db, { kind: "a", payload: "free" });
      await db.transaction(async (tx) => {
        await tx.query("SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE", [id]);
        expect(payloads(await claim(db, ["a"], 1))).toEqual(["free"]);
        expect(await claim(db, ["a"], 1)).toEqual([]);
      });
      expect(payloads(await claim(db, ["a"], 1))).toEqual(["locked"]);
    }));

  it.each([0, 501, 1.5])("refuses a limit of %d", async (limit) => {
    await withDatabase((db) => expect(claim(db, ["a"], limit)).rejects.toMatchObject({ code: "invalid_request" }));
  });
});

describe("jobs of one key", () => {
  const two = (payload: string): NewJob => ({ kind: "a", payload, key: "two", maxPerKey: 2 });

  verifies("jobs:concurrency:per-key", "run at most N at once, and the next goes when one ends", () =>
    withDatabase(async (db) => {
      await enqueueJobs(db, ["1", "2", "3", "4", "5"].map(two));
      const running = await claimAll(db, "a");
      expect(payloads(running)).toEqual(["1", "2"]);
      expect(await claimAll(db, "a")).toEqual([]);
      expect(await countJobs(db)).toMatchObject({ running: 2, blocked: 3, queued: 0 });
      await completeJob(db, first(running).lease);
      expect(payloads(await claimAll(db, "a"))).toEqual(["3"]);
      await handBackJobs(
        db,
        running.map(({ lease }) => lease),
      );
      expect(payloads(await claimAll(db, "a"))).toEqual(["2"]);
    }),
  );

  verifies("jobs:concurrency:other-keys-go-on", "never hold up others behind them", () =>
    withDatabase(async (db) => {
      await enqueueJobs(
        db,
        Array.from({ length: 3_000 }, () => ({ ...two("hot"), priority: 1 })),
      );
      await enqueueJobs(db, [
        { kind: "a", payload: "free" },
        { kind: "b", payload: "other kind", key: "one", maxPerKey: 1 },
      ]);
      expect(payloads(await claim(db, ["a", "b"], 2))).toEqual(["hot", "hot"]);
      expect(payloads(await claim(db, ["a", "b"], 2))).toEqual(["other kind"]);
      // Each claim moves some hundreds of the hot ones out of the way, and wakes its caller for the next.
      const claimed: unknown[] = [];
      for (let call = 0; call < 6; call += 1) claimed.push(...payloads(await claim(db, ["a", "b"], 2)));
      expect(claimed).toEqual(["free"]);
      expect(await countJobs(db)).toMatchObject({ queued: 0, blocked: 2_998 });
    }),
  );

  it("hand their room to a higher priority first", () =>
    withDatabase(async (db) => {
      const one: NewJob = { kind: "a", payload: "running", key: "one", maxPerKey: 1 };
      await enqueueJob(db, one);
      const running = await claimAll(db, "a");
      await enqueueJobs(db, [
        { ...one, payload: "low" },
        { ...one, payload: "high", priority: 1 },
      ]);
      expect(await claimAll(db, "a")).toEqual([]);
      await complete(db, running);
      expect(payloads(await claimAll(db, "a"))).toEqual(["high"]);
    }));

  it("share the key among kinds, and wake the runners of the other kind", () =>
    withDatabase(async (db) => {
      await enqueueJobs(db, [
        { kind: "a", payload: "a", key: "shared", maxPerKey: 1 },
        { kind: "b", payload: "b", key: "shared", maxPerKey: 1 },
      ]);
      const running = await claimAll(db, "a");
      expect(await claimAll(db, "b")).toEqual([]);
      await complete(db, running);
      const heard: string[] = [];
      const listening = await db.listen("quarry_jobs", (message) => heard.push(message));
      expect(await claimAll(db, "a")).toEqual([]);
      await expect.poll(() => heard).toEqual(["wake:b"]);
      expect(payloads(await claimAll(db, "b"))).toEqual(["b"]);
      await listening.close();
    }));

  it("are found again by the housekeeping when the one they waited behind was canceled", () =>
    withDatabase(async (db) => {
      await enqueueJobs(db, ["1", "2", "3", "4"].map(two));
      const running = await claimAll(db, "a");
      await completeJob(db, first(running).lease);
      const next = await claimNothing(db); // queues 3, for runners of kind a
      await cancelJob(db, next);
      await db.query("SELECT recheck_job_lanes(false)");
      expect(payloads(await claimAll(db, "a"))).toEqual(["4"]);
    }));

  it("are found again when their lanes got lost", () =>
    withDatabase(async (db) => {
      await enqueueJobs(db, ["1", "2", "3"].map(two));
      await complete(db, await claimAll(db, "a"));
      await db.query("DELETE FROM job_lanes");
      expect(await claimAll(db, "a")).toEqual([]);
      await db.query("SELECT recheck_job_lanes(true)");
      expect(payloads(await claimAll(db, "a"))).toEqual(["3"]);
    }));

  it("stay within their limit under claimers and finishers in any order", () =>
    withDatabase(async (db) => {
      const anyLimits = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
      const anyJobs = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(anyLimits, anyJobs, fc.integer({ min: 1, max: 7 }), async (limits, jobs, batch) => {
          await db.query("TRUNCATE jobs, job_lanes");
          await enqueueJobs(
            db,
            jobs.map((number) => {
              const key = number % (limits.length + 1); // one in so many has no key
              const maxPerKey = limits[key];
              return { kind: "a", payload: key, ...(maxPerKey === undefined ? {} : { key: `k${key}`, maxPerKey }) };
            }),
          );
          let done = 0;
          const work = async (): Promise<void> => {
            for (let idle = 0; idle < 2;) {
              const claimed = await claim(db, ["a"], batch);
              idle = claimed.length === 0 ? idle + 1 : 0;
              expect(await overfullKeys(db)).toEqual([]);
              await complete(db, claimed);
              done += claimed.length;
            }
          };
          await Promise.all([work(), work(), work()]);
          await work(); // what a worker left blocked that found nothing twice while others still ran
          expect(done).toBe(jobs.length);
        }),
        { numRuns: 15 },
      );
    }));
});

describe("a claim", () => {
  /** Claims one job and completes it; how many rows of jobs the claim looked at. */
  async function countRowsRead(db: Database): Promise<number> {
    return db.transaction(async (tx) => {
      const readSoFar = async (): Promise<number> => {
        const rows = await tx.query<{ rows: number }>(
          "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'jobs'",
        );
        return first(rows).rows;
      };
      const before = await readSoFar();
      const jobs = await tx.query<{ id: string; lease_token: string }>(
        "SELECT * FROM claim_jobs('{a,b}', 'tester', 1, 60000, now())",
      );
      const after = await readSoFar();
      await completeJob(tx, { jobId: first(jobs).id, token: first(jobs).lease_token });
      return after - before;
    });
  }

  const many = (count: number, part: Partial<NewJob>): readonly NewJob[] =>
    Array.from({ length: count }, (_, index) => ({ kind: index % 2 === 0 ? "a" : "b", payload: index, ...part }));

  it("reads few rows in front of a long queue, beside hot keys and among many keys, by plans made when all was empty", () =>
    withDatabase(
      async (db) => {
        await enqueueJobs(db, many(10, {}));
        for (let warmUp = 0; warmUp < 8; warmUp += 1) await countRowsRead(db);
        await enqueueJobs(db, many(6_000, { priority: -1 }));
        expect(await countRowsRead(db)).toBeLessThan(20);

        await enqueueJobs(db, many(3_000, { key: "hot", maxPerKey: 1, priority: 5 }));
        await enqueueJobs(db, many(200, { priority: 4 }));
        await claim(db, ["a", "b"], 1); // the only hot one that runs
        for (let step = 0; step < 10; step += 1) await claim(db, ["a", "b"], 1);
        expect(await countRowsRead(db)).toBeLessThan(30);

        const hosts = Array.from({ length: 2_000 }, (_, host) =>
          many(2, { key: `host ${host}`, maxPerKey: 1, priority: 9 }),
        );
        await enqueueJobs(db, hosts.flat());
        await claim(db, ["a", "b"], 200);
        for (let step = 0; step < 20; step += 1) await countRowsRead(db);
        expect(await countRowsRead(db)).toBeLessThan(2_000); // some for each of the 200 keys that run
      },
      { maxConnections: 1 },
    ));
});

/** Claims for another kind, which queues the next blocked job of a key; its id. */
async function claimNothing(db: Database): Promise<string> {
  expect(await claimAll(db, "other")).toEqual([]);
  const rows = await db.query<{ id: string }>("SELECT id FROM jobs WHERE state = 'queued'");
  return first(rows).id;
}

function overfullKeys(db: Database): Promise<readonly unknown[]> {
  return db.query(
    `SELECT concurrency_key FROM jobs WHERE state = 'running' AND concurrency_key IS NOT NULL
     GROUP BY concurrency_key HAVING count(*) > min(max_per_key)`,
  );
}
