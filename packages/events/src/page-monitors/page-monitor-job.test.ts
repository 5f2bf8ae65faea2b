import { createHash } from "node:crypto";
import { makeId } from "@quarry/base";
import {
  claimJobs,
  completeJob,
  createPageMonitor,
  createTeam,
  createWebhook,
  deletePageMonitor,
  findPageMonitor,
  listDeliveries,
  listEvents,
  PAGE_MONITOR_JOB,
  saveExtractedTexts,
  saveSnapshots,
  updatePageMonitor,
  type Database,
  type JobRun,
  type PageMonitor,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { describe, expect, it } from "vitest";
import { createPageMonitorHandler, type PageMonitorDeps, type PageReadNow } from "./page-monitor-job.ts";

const START = new Date("2026-03-01T12:00:00.000Z");
const HOUR_MS = 3_600_000;

/** A team that watches one page, whose text (or fault) and time the test sets. */
async function aWatch(db: Database) {
  const teamId = await createTeam(db, "one", START);
  const wanted = { id: makeId("page_monitor"), teamId, url: "https://a.example/", everyMinutes: 60, metadata: {} };
  const monitor = await createPageMonitor(db, wanted, START);
  const world = { nowMs: START.getTime(), text: "first\n", fault: undefined as string | undefined, reads: 0 };
  const deps: PageMonitorDeps = {
    database: db,
    clock: { now: () => new Date(world.nowMs) },
    readPage: async () => {
      world.reads += 1;
      return world.fault === undefined ? keep(db, world.text) : { kind: "failed", error: world.fault };
    },
    compareTexts: (from, to, names) => ({ added: 1, removed: 1, diff: `${names.from}\n-${from}${names.to}\n+${to}` }),
  };
  const handle = createPageMonitorHandler(deps);
  /** Runs the jobs that are due; returns how many there were. */
  const check = async (): Promise<number> => {
    const dueAt = new Date(world.nowMs);
    const jobs = await claimJobs(db, { kinds: [PAGE_MONITOR_JOB], workerId: "w", limit: 10, leaseMs: 60_000, dueAt });
    for (const job of jobs) {
      const run: JobRun = {
        job,
        signal: new AbortController().signal,
        reportProgress: () => undefined,
        complete: (work) =>
          db.transaction(async (tx) => {
            await completeJob(tx, job.lease);
            await work?.(tx);
            return { kind: "job-completion", jobId: job.id };
          }),
      };
      await handle(run);
    }
    return jobs.length;
  };
  const events = async () =>
    (await listEvents(db, { teamId, limit: 10 })).data.map(({ type, data }) => ({ type, data: data as object }));
  const now = async (): Promise<PageMonitor | undefined> => findPageMonitor(db, monitor.id);
  return { teamId, monitor, world, check, events, now };
}

async function keep(db: Database, text: string): Promise<PageReadNow> {
  const snapshotId = createHash("sha256").update(text).digest("hex");
  const facts = { id: snapshotId, mediaType: "text/html", charset: null, byteLength: text.length, createdAt: START };
  await db.transaction(async (tx) => {
    await saveSnapshots(tx, [facts]);
    await saveExtractedTexts(tx, [{ snapshotId, extractorVersion: "1", text, markdown: text, sourceMap: null }], START);
  });
  return { kind: "read", text, kept: { snapshotId, extractorVersion: "1" } };
}

describe("a page monitor", () => {
  it("tells of a change once, with what changed, to whoever asked", () =>
    withDatabase(async (db) => {
      const { teamId, monitor, world, check, events, now } = await aWatch(db);
      const hook = { id: "webhook_1", teamId, url: "https://b.example/", metadata: {}, secret: "s" };
      await createWebhook(db, { ...hook, events: ["page_monitor.changed"] }, START);
      expect(await check()).toBe(1); // what later ones are compared with
      expect(await check()).toBe(0);
      world.nowMs += HOUR_MS;
      expect(await check()).toBe(1);
      expect(await events()).toEqual([]);

      world.text = "second\n";
      world.nowMs += HOUR_MS;
      await check();
      const [event] = await events();
      expect(event).toMatchObject({
        type: "page_monitor.changed",
        data: {
          id: monitor.id,
          object: "page_monitor",
          url: "https://a.example/",
          checks: 3,
          changes: 1,
          change: { added: 1, removed: 1, isDiffCut: false, diff: expect.stringContaining("-first") as string },
        },
      });
      expect((await listDeliveries(db, "webhook_1", { limit: 10 })).data).toHaveLength(1);
      world.nowMs += HOUR_MS;
      await check();
      expect(await events()).toHaveLength(1);
      expect(await now()).toMatchObject({ checks: 4, changes: 1, nextCheckAt: new Date(world.nowMs + HOUR_MS) });
    }));

  it("tells once that the page cannot be read, and goes on", () =>
    withDatabase(async (db) => {
      const { world, check, events, now } = await aWatch(db);
      await check();
      world.fault = "CRAWL_TIMEOUT";
      for (let count = 0; count < 2; count += 1) {
        world.nowMs += HOUR_MS;
        await check();
      }
      expect((await events()).map(({ type }) => type)).toEqual(["page_monitor.failed"]);
      expect(await now()).toMatchObject({ error: "CRAWL_TIMEOUT", text: { extractorVersion: "1" } });
      world.fault = undefined;
      world.nowMs += HOUR_MS;
      await check();
      expect(await now()).toMatchObject({ error: null, changes: 0 });
    }));

  it("rests while disabled, is checked on demand, and ends with its row; jobs of before do nothing", () =>
    withDatabase(async (db) => {
      const { teamId, monitor, world, check, now } = await aWatch(db);
      const place = { teamId, id: monitor.id };
      await updatePageMonitor(db, place, { status: "disabled" }, START);
      await check();
      expect([world.reads, (await now())?.nextCheckAt]).toEqual([0, null]);
      world.nowMs += 1_000;
      await updatePageMonitor(db, place, { status: "enabled", checkNow: true }, new Date(world.nowMs));
      await check();
      expect(world.reads).toBe(1);
      await updatePageMonitor(db, place, { everyMinutes: 30 }, new Date(world.nowMs));
      expect((await now())?.nextCheckAt).toEqual(new Date(world.nowMs + HOUR_MS / 2));
      await deletePageMonitor(db, teamId, monitor.id);
      world.nowMs += HOUR_MS;
      await check();
      expect(world.reads).toBe(1);
    }));

  it("missed while nobody worked is checked once", () =>
    withDatabase(async (db) => {
      const { world, check } = await aWatch(db);
      world.nowMs += 50 * HOUR_MS;
      expect(await check()).toBe(1);
      expect(await check()).toBe(0);
      expect(world.reads).toBe(1);
    }));
});
