import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withDatabase } from "../testing.ts";
import { cancelJob, cancelJobs } from "./cancel-jobs.ts";
import { deleteFinishedJobs } from "./delete-finished-jobs.ts";
import { enqueueJob, enqueueJobs } from "./enqueue-job.ts";
import { countJobs, getJob, listJobs } from "./find-jobs.ts";
import { completeJob } from "./settle-job.ts";
import { claimAll, first } from "./testing.ts";

describe("listJobs", () => {
  it("pages through a team's jobs, newest first", () =>
    withDatabase(async (db) => {
      const ids: string[] = [];
      for (let payload = 0; payload < 5; payload += 1) {
        ids.unshift((await enqueueJob(db, { kind: "a", teamId: "team_1", payload })).id);
      }
      await enqueueJob(db, { kind: "a", teamId: "team_2", payload: null });
      ids.sort().reverse(); // ids of one millisecond sort by chance
      const one = await listJobs(db, { teamId: "team_1" }, { limit: 3 });
      const two = await listJobs(db, { teamId: "team_1" }, { limit: 3, cursor: one.nextCursor ?? "" });
      expect([...one.data, ...two.data].map(({ id }) => id)).toEqual(ids);
      expect([one.hasMore, two.hasMore, two.nextCursor]).toEqual([true, false, null]);
    }));

  it("filters by kind and state, and counts by state", () =>
    withDatabase(async (db) => {
      await enqueueJobs(db, [
        { kind: "a", payload: 1, teamId: "team_1" },
        { kind: "a", payload: 2 },
        { kind: "b", payload: 3 },
      ]);
      const running = await claimAll(db, "a");
      await completeJob(db, first(running).lease);
      const found = await listJobs(db, { kind: "a", states: ["running", "queued"] }, { limit: 10 });
      expect(found.data.map(({ payload }) => payload)).toEqual([2]);
      const none = { scheduled: 0, queued: 0, blocked: 0, running: 0, completed: 0, dead: 0, canceled: 0 };
      expect(await countJobs(db)).toEqual({ ...none, queued: 1, running: 1, completed: 1 });
      expect(await countJobs(db, { teamId: "team_1" })).toEqual({ ...none, completed: 1 });
    }));
});

describe("getJob", () => {
  it("finds nothing of another team", () =>
    withDatabase(async (db) => {
      const { id } = await enqueueJob(db, { kind: "a", teamId: "team_1", payload: null });
      expect((await getJob(db, id, { teamId: "team_1" })).id).toBe(id);
      await expect(getJob(db, id, { teamId: "team_2" })).rejects.toMatchObject({ code: "not_found" });
    }));
});

describe("cancelJob", () => {
  verifies("jobs:cancel:waiting", "ends a waiting job before it starts", () =>
    withDatabase(async (db) => {
      const jobs = await enqueueJobs(db, [
        { kind: "a", payload: null },
        { kind: "a", payload: null, runAt: new Date("2030-01-01") },
        { kind: "b", payload: null, key: "k", maxPerKey: 1 },
        { kind: "b", payload: null, key: "k", maxPerKey: 1 },
      ]);
      await claimAll(db, "b"); // the fourth is blocked now
      const ids = jobs.map(({ id }) => id);
      expect([...(await cancelJobs(db, ids)).values()].sort()).toEqual([
        "canceled",
        "canceled",
        "canceled",
        "stopping",
      ]);
      expect(await claimAll(db, "a", "b")).toEqual([]);
      expect(await cancelJob(db, ids[0] ?? "")).toBe("finished-already");
    }),
  );

  it("does not touch another team's job", () =>
    withDatabase(async (db) => {
      const { id } = await enqueueJob(db, { kind: "a", teamId: "team_1", payload: null });
      await expect(cancelJob(db, id, { teamId: "team_2" })).rejects.toMatchObject({ code: "not_found" });
      await expect(cancelJob(db, "job_unknown")).rejects.toMatchObject({ code: "not_found" });
      expect((await getJob(db, id)).state).toBe("queued");
    }));
});

describe("deleteFinishedJobs", () => {
  it("forgets what has been finished for long enough, and nothing else", () =>
    withDatabase(async (db) => {
      await enqueueJobs(
        db,
        Array.from({ length: 2_500 }, (_, payload) => ({ kind: "a", payload })),
      );
      await db.query(
        "UPDATE jobs SET state = 'completed', finished_at = now() - interval '2 days' WHERE sequence <= 2100",
      );
      await db.query("UPDATE jobs SET state = 'dead', finished_at = now() - interval '2 days' WHERE sequence > 2490");
      await db.query("UPDATE jobs SET state = 'completed', finished_at = now() WHERE sequence = 2101");
      expect(await deleteFinishedJobs(db, { state: "completed", olderThanMs: 86_400_000 })).toBe(2_100);
      expect(await countJobs(db)).toMatchObject({ queued: 389, completed: 1, dead: 10 });
    }));
});
