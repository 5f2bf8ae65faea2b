import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { Database } from "./database.ts";
import { endLeases } from "./end-leases.ts";
import { appendEvent } from "./events.ts";
import { claimRequest, storeReply, type ClaimOutcome } from "./identity/idempotent-requests.ts";
import { createTeam } from "./identity/teams.ts";
import { claimJobs } from "./jobs/claim-jobs.ts";
import { enqueueJob } from "./jobs/enqueue-job.ts";
import type { LeasedJob } from "./jobs/job.ts";
import { completeJob, requeueLostJobs } from "./jobs/settle-job.ts";
import { withDatabase } from "./testing.ts";
import { claimDeliveries, requeueLostDeliveries, type LeasedDelivery } from "./webhooks/deliver.ts";
import { createWebhook } from "./webhooks/manage-webhooks.ts";

const LEASE_MS = 60_000;

it("lets the next process take up at once what a killed one had in hand, and nothing else", () =>
  withDatabase(async (db) => {
    const teamId = await createTeam(db, "one", new Date());
    const webhook = { id: "webhook_1", teamId, url: "https://a.example/", events: ["webset.idle"], metadata: {} };
    await createWebhook(db, { ...webhook, secret: "whsec" }, new Date());
    const resource = { kind: "webset", id: "webset_1" };
    await db.transaction((tx) => appendEvent(tx, { teamId, type: "webset.idle", resource, data: {} }));
    await enqueueJob(db, { kind: "a", payload: "in hand" });
    const [job] = await claimJobsNow(db);
    expect(await claimDeliveriesNow(db)).toHaveLength(1);
    expect(await ask(db, "in hand")).toMatchObject({ kind: "claimed" });
    const answered = await ask(db, "answered");
    if (answered.kind !== "claimed" || job === undefined) throw new Error("nothing was claimed");
    await storeReply(db, requestOf("answered"), answered.claim, { status: 201, body: Buffer.from("{}") });

    expect([await requeueLostJobs(db), await requeueLostDeliveries(db)]).toEqual([[], 0]);
    expect(await ask(db, "in hand")).toEqual({ kind: "running" });
    await endLeases(db);
    expect([(await requeueLostJobs(db)).length, await requeueLostDeliveries(db)]).toEqual([1, 1]);
    expect(await claimJobsNow(db)).toMatchObject([{ id: job.id, attempts: 2 }]);
    expect(await claimDeliveriesNow(db)).toHaveLength(1);
    expect(await ask(db, "in hand")).toMatchObject({ kind: "claimed" });
    expect(await ask(db, "answered")).toMatchObject({ kind: "answered", status: 201 });
    await expect(completeJob(db, job.lease)).rejects.toThrow("taken from this worker");
  }));

function claimJobsNow(db: Database): Promise<readonly LeasedJob[]> {
  return claimJobs(db, { kinds: ["a"], workerId: "killed", limit: 1, leaseMs: LEASE_MS });
}

function claimDeliveriesNow(db: Database): Promise<readonly LeasedDelivery[]> {
  return claimDeliveries(db, "webhook_1", { limit: 8, leaseMs: LEASE_MS, now: new Date(Date.now() + 1_000) });
}

function ask(db: Database, key: string): Promise<ClaimOutcome> {
  return claimRequest(db, requestOf(key));
}

function requestOf(key: string) {
  const hash = createHash("sha256").update(key).digest();
  return { teamId: "team_1", route: "POST /x", keyHash: hash, requestHash: hash };
}
