import { createHash } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import {
  claimRequest,
  giveUpClaim,
  renewClaim,
  storeReply,
  sweepIdempotentRequests,
  type IdempotentRequest,
  type RequestClaim,
} from "./idempotent-requests.ts";

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function request(change: Partial<IdempotentRequest> = {}): IdempotentRequest {
  return { teamId: "team_1", route: "POST /x", keyHash: hash("key"), requestHash: hash("body"), ...change };
}

async function claim(db: Database, of: IdempotentRequest = request()): Promise<RequestClaim> {
  const outcome = await claimRequest(db, of);
  if (outcome.kind !== "claimed") throw new Error(`not claimed: ${outcome.kind}`);
  return outcome.claim;
}

/** What a crash leaves behind, some time later. */
async function letLeasesRunOut(db: Database): Promise<void> {
  await db.query("UPDATE idempotent_requests SET lease_until = now() - interval '1 ms'");
}

it("lets one of many claim, and answers the others with what it stored", async () => {
  await withDatabase(async (db) => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => claimRequest(db, request())));
    const [won, ...more] = outcomes.filter((outcome) => outcome.kind === "claimed");
    expect(more).toEqual([]);
    if (won === undefined) throw new Error("nobody won");
    expect(outcomes.filter((outcome) => outcome.kind === "running")).toHaveLength(19);
    await storeReply(db, request(), won.claim, { status: 201, body: Buffer.from("{}") });
    expect(await claimRequest(db, request())).toEqual({ kind: "answered", status: 201, body: Buffer.from("{}") });
    expect(await claimRequest(db, request({ requestHash: hash("other") }))).toEqual({ kind: "mismatch" });
  });
});

verifies("http:idempotency:per-team", "keeps teams, routes and keys apart", async () => {
  await withDatabase(async (db) => {
    await claim(db);
    await claim(db, request({ teamId: "team_2" }));
    await claim(db, request({ route: "POST /y" }));
    await claim(db, request({ keyHash: hash("another") }));
    expect(await claimRequest(db, request())).toEqual({ kind: "running" });
  });
});

it("goes on after a crash with the same operation id, and refuses the late reply of the dead", async () => {
  await withDatabase(async (db) => {
    const dead = await claim(db);
    await letLeasesRunOut(db);
    expect((await claimRequest(db, request({ requestHash: hash("other") }))).kind).toBe("mismatch");
    const heir = await claim(db);
    expect(heir.operationId).toBe(dead.operationId);
    await storeReply(db, request(), dead, { status: 500, body: Buffer.from("late") });
    expect(await renewClaim(db, request(), dead)).toBe(false);
    expect(await claimRequest(db, request())).toEqual({ kind: "running" });
    await storeReply(db, request(), heir, { status: 201, body: Buffer.from("heir") });
    expect(await claimRequest(db, request())).toEqual({ kind: "answered", status: 201, body: Buffer.from("heir") });
  });
});

it("holds a claim as long as it is renewed", async () => {
  await withDatabase(async (db) => {
    const mine = await claim(db);
    await letLeasesRunOut(db);
    expect(await renewClaim(db, request(), mine)).toBe(true);
    expect(await claimRequest(db, request())).toEqual({ kind: "running" });
  });
});

it("frees what was given up: wholly when refused, with its id when it may have acted", async () => {
  await withDatabase(async (db) => {
    const refused = await claim(db);
    await giveUpClaim(db, request(), refused, { mayHaveActed: false });
    const other = request({ requestHash: hash("corrected body") });
    const failed = await claim(db, other);
    expect(failed.operationId).not.toBe(refused.operationId);
    await giveUpClaim(db, other, failed, { mayHaveActed: true });
    expect((await claim(db, other)).operationId).toBe(failed.operationId);
  });
});

verifies("http:idempotency:kept-a-day", "remembers a reply for a day, then forgets it", async () => {
  await withDatabase(async (db) => {
    const mine = await claim(db);
    await storeReply(db, request(), mine, { status: 200, body: Buffer.from("{}") });
    const age = (hours: number) =>
      db.query(
        `UPDATE idempotent_requests SET expires_at = created_at + interval '24 hours' - interval '${hours} hours'`,
      );
    await age(23.9);
    expect(await sweepIdempotentRequests(db)).toBe(0);
    expect((await claimRequest(db, request())).kind).toBe("answered");
    await age(24);
    const again = await claim(db, request({ requestHash: hash("new day") }));
    expect(again.operationId).not.toBe(mine.operationId);
    await age(24);
    expect(await sweepIdempotentRequests(db)).toBe(1);
  });
});
