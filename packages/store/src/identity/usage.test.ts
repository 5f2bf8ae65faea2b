import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { withDatabase } from "../testing.ts";
import { createKey, getKey } from "./manage-keys.ts";
import { createTeam } from "./teams.ts";
import { readUsage, writeUsage, type UsageRecord } from "./usage.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const year = { from: new Date("2026-01-01T00:00:00.000Z"), to: new Date("2027-01-01T00:00:00.000Z") };

function record(change: Partial<UsageRecord>): UsageRecord {
  return {
    teamId: "team_1",
    keyId: null,
    endpoint: "POST /search",
    status: 200,
    latencyMs: 10,
    tokens: 0,
    costDollars: 0,
    at: now,
    ...change,
  };
}

verifies("http:usage:grouped", "groups by hour, day, month, key and endpoint, alone and together", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const { key } = await createKey(db, teamId, { name: "agent", scopes: ["all"] }, now);
    await writeUsage(db, [
      record({ teamId, at: new Date("2026-03-01T23:30:00.000Z"), costDollars: 0.1, latencyMs: 10 }),
      record({ teamId, at: new Date("2026-03-01T23:59:59.999Z"), costDollars: 0.2, latencyMs: 30, status: 429 }),
      record({ teamId, at: new Date("2026-03-02T00:00:00.000Z"), keyId: key.id, tokens: 7 }),
      record({ teamId, at: new Date("2026-04-01T00:00:00.000Z"), endpoint: "POST /answer" }),
      record({ teamId: "team_other", at: now, costDollars: 99 }),
    ]);
    const counts = async (groupBy: readonly ("hour" | "day" | "month" | "key" | "endpoint")[]): Promise<unknown[]> =>
      (await readUsage(db, { teamId, ...year, groupBy })).map((row) => [
        row.periodStart?.toISOString().slice(0, 13),
        row.keyName,
        row.endpoint,
        row.requests,
      ]);
    expect(await counts(["hour"])).toEqual([
      ["2026-03-01T23", undefined, undefined, 2],
      ["2026-03-02T00", undefined, undefined, 1],
      ["2026-04-01T00", undefined, undefined, 1],
    ]);
    expect(await counts(["day"])).toHaveLength(3);
    expect(await counts(["month"])).toEqual([
      ["2026-03-01T00", undefined, undefined, 3],
      ["2026-04-01T00", undefined, undefined, 1],
    ]);
    expect(await counts(["key"])).toEqual([
      [undefined, null, undefined, 3],
      [undefined, "agent", undefined, 1],
    ]);
    expect(await counts(["month", "key", "endpoint"])).toEqual([
      ["2026-03-01T00", null, "POST /search", 2],
      ["2026-03-01T00", "agent", "POST /search", 1],
      ["2026-04-01T00", null, "POST /answer", 1],
    ]);
    expect(
      await readUsage(db, { teamId, from: now, to: new Date("2026-03-02T00:00:00.000Z"), groupBy: ["day"] }),
    ).toEqual([
      {
        periodStart: new Date("2026-03-01T00:00:00.000Z"),
        requests: 2,
        errors: 1,
        tokens: 0,
        costDollars: 0.3,
        latencyMs: { average: 20, p50: 20, p95: 29, max: 30 },
      },
    ]);
  });
});

verifies("keys:fields:last-used", "adds up what keys spent, and when they were last used, to the minute", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const { key } = await createKey(db, teamId, { name: "agent", scopes: ["all"] }, now);
    const use = async (seconds: number, costDollars: number): Promise<unknown[]> => {
      const at = new Date(now.getTime() + seconds * 1000);
      await writeUsage(db, [record({ teamId, keyId: key.id, costDollars, at }), record({ teamId, keyId: "gone", at })]);
      const after = await getKey(db, teamId, key.id);
      return [after.spentDollars, after.lastUsedAt?.toISOString()];
    };
    expect(await use(0, 0.1)).toEqual([0.1, "2026-03-01T12:00:00.000Z"]);
    expect(await use(30, 0)).toEqual([0.1, "2026-03-01T12:00:00.000Z"]);
    expect(await use(61, 0)).toEqual([0.1, "2026-03-01T12:01:01.000Z"]);
    expect(await use(62, 0.2)).toEqual([0.3, "2026-03-01T12:01:02.000Z"]);
  });
});

it("adds up exactly when processes write at the same time", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const keys = await Promise.all(["a", "b"].map((name) => createKey(db, teamId, { name, scopes: ["all"] }, now)));
    const batch = [...keys, ...keys].map(({ key }) => record({ teamId, keyId: key.id, costDollars: 0.01 }));
    await Promise.all(Array.from({ length: 20 }, (_, index) => writeUsage(db, index % 2 ? batch : batch.toReversed())));
    const spent = await Promise.all(keys.map(async ({ key }) => (await getKey(db, teamId, key.id)).spentDollars));
    expect(spent).toEqual([0.4, 0.4]);
  });
});

it("writes nothing for an empty batch and finds nothing in an empty period", async () => {
  await withDatabase(async (db) => {
    await writeUsage(db, []);
    expect(await readUsage(db, { teamId: "team_1", ...year, groupBy: [] })).toEqual([]);
  });
});
