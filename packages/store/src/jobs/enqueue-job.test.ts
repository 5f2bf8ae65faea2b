import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { claimJobs } from "./claim-jobs.ts";
import { enqueueJob, enqueueJobs, type NewJob } from "./enqueue-job.ts";
import { countJobs, getJob, listJobs } from "./find-jobs.ts";
import { claimAll } from "./testing.ts";

describe("enqueueJob", () => {
  verifies("jobs:enqueue:in-caller-transaction", "adds the job exactly when the transaction commits", () =>
    withDatabase(async (db) => {
      const rolledBack = db.transaction(async (tx) => {
        await enqueueJob(tx, { kind: "fetch", payload: 1 });
        throw new AppError("internal", "changed my mind");
      });
      await expect(rolledBack).rejects.toThrow("changed my mind");
      expect((await countJobs(db)).queued).toBe(0);

      const { id } = await db.transaction(async (tx) => {
        const enqueued = await enqueueJob(tx, { kind: "fetch", payload: 1 });
        expect(await claimAll(db, "fetch")).toEqual([]);
        return enqueued;
      });
      expect((await claimAll(db, "fetch")).map((job) => job.id)).toEqual([id]);
    }),
  );

  it("keeps all it was given", () =>
    withDatabase(async (db) => {
      const runAt = new Date("2030-01-01T00:00:00Z");
      const { id } = await enqueueJob(db, {
        kind: "fetch",
        teamId: "team_1",
        payload: { url: "https://example.org/", list: [1, null, "ü\u0000"] },
        key: "host:example.org",
        maxPerKey: 1,
        priority: -3,
        runAt,
        maxAttempts: 9,
        dedupeKey: "once",
      });
      expect(await getJob(db, id)).toEqual({
        id,
        kind: "fetch",
        teamId: "team_1",
        payload: { url: "https://example.org/", list: [1, null, "ü\ufffd"] },
        state: "scheduled",
        priority: -3,
        runAt,
        key: "host:example.org",
        maxPerKey: 1,
        dedupeKey: "once",
        slot: null,
        attempts: 0,
        maxAttempts: 9,
        workerId: null,
        cancelRequested: false,
        progress: null,
        error: null,
        createdAt: expect.any(Date) as Date,
        startedAt: null,
        finishedAt: null,
      });
    }));

  it.each<[Partial<NewJob>, string]>([
    [{ kind: "" }, "kind"],
    [{ key: "k" }, "maxPerKey"],
    [{ maxPerKey: 1 }, "maxPerKey"],
    [{ key: "k", maxPerKey: 0 }, "maxPerKey"],
    [{ key: "", maxPerKey: 1 }, "key"],
    [{ priority: 0.5 }, "priority"],
    [{ maxAttempts: 0 }, "maxAttempts"],
    [{ runAt: new Date("no date") }, "runAt"],
    [{ dedupeKey: "" }, "dedupeKey"],
    [{ payload: "x".repeat(1_000_001) }, "payload"],
  ])("refuses %j", async (part, field) => {
    const nowhere = { query: () => Promise.reject(new Error("nothing may be sent")) };
    const refused = enqueueJob(nowhere, { kind: "fetch", payload: null, ...part });
    await expect(refused).rejects.toMatchObject({ code: "invalid_request", details: { field } });
  });
});

describe("enqueueJobs", () => {
  it("adds thousands in order, with a null payload too", () =>
    withDatabase(async (db) => {
      const jobs = Array.from({ length: 1_200 }, (_, index) => ({ kind: "count", payload: index || null }));
      const enqueued = await db.transaction((tx) => enqueueJobs(tx, jobs));
      expect(new Set(enqueued.map(({ id }) => id)).size).toBe(1_200);
      const first = await claimJobs(db, { kinds: ["count"], workerId: "w", limit: 3, leaseMs: 60_000 });
      expect(first.map(({ payload }) => payload)).toEqual([null, 1, 2]);
    }));
});

describe("a dedupe key", () => {
  const job = { kind: "index", payload: null, dedupeKey: "flush" };

  verifies("jobs:enqueue:unique-key", "joins a job that waits, of the same kind and team", () =>
    withDatabase(async (db) => {
      const first = await enqueueJob(db, job);
      expect(await enqueueJob(db, job)).toEqual({ id: first.id, isNew: false });
      const others = await enqueueJobs(db, [
        { ...job, kind: "other" },
        { ...job, teamId: "team_1" },
        { ...job, teamId: "team_1" },
        { ...job, dedupeKey: "else" },
      ]);
      expect(others.map(({ isNew }) => isNew)).toEqual([true, true, false, true]);
      expect((await listJobs(db, {}, { limit: 10 })).data).toHaveLength(4);
    }),
  );

  it("adds another once the first has started, even when that is tried again", () =>
    withDatabase(async (db) => {
      const first = await enqueueJob(db, job);
      await claimAll(db, "index");
      const second = await enqueueJob(db, job);
      expect(second).toEqual({ id: expect.not.stringMatching(first.id) as string, isNew: true });
      await db.query("UPDATE jobs SET lease_expires_at = now() - interval '1 second' WHERE state = 'running'");
      expect(await enqueueJob(db, job)).toEqual({ id: second.id, isNew: false });
    }));

  it("never loses a wake-up: a joined job starts after the joining transaction", () =>
    withDatabase(async (db) => {
      const { id } = await enqueueJob(db, job);
      await db.transaction(async (tx) => {
        expect(await enqueueJob(tx, job)).toEqual({ id, isNew: false });
        expect(await claimAll(db, "index")).toEqual([]); // it would not see what tx is about to write
      });
      expect((await claimAll(db, "index")).map((claimed) => claimed.id)).toEqual([id]);
    }));

  it("ends in one row when many add it at once", () =>
    withDatabase(async (db) => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => addInTransaction(db)));
      expect(new Set(ids).size).toBe(1);
      expect((await countJobs(db)).queued).toBe(1);
    }));

  async function addInTransaction(db: Database): Promise<string> {
    const { id } = await db.transaction((tx) => enqueueJob(tx, job));
    return id;
  }
});
