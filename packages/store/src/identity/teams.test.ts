import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { openDatabase } from "../open-database.ts";
import { withDatabase } from "../testing.ts";
import { findKeyCredential, findSessionCredential } from "./find-credential.ts";
import { listKeys, revokeKey } from "./manage-keys.ts";
import { createSession } from "./sessions.ts";
import { ensureFirstTeam, renewLocalKey } from "./teams.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

verifies("keys:first-start:team-and-key", "makes one team and one key, and shows the key once", async () => {
  await withDatabase(async (db) => {
    const first = await ensureFirstTeam(db, { now });
    expect((await findKeyCredential(db, first.newKey ?? ""))?.key?.scopes).toEqual(["all"]);
    expect(await ensureFirstTeam(db, { now })).toEqual({ teamId: first.teamId, newKey: undefined });
  });
});

it("makes one team when ten processes start at once", async () => {
  await withDatabase(async (db, url) => {
    const others = await Promise.all(
      Array.from({ length: 9 }, () => openDatabase({ address: url, maxConnections: 1 })),
    );
    try {
      const starts = await Promise.all([db, ...others].map((one) => ensureFirstTeam(one, { now })));
      expect(new Set(starts.map(({ teamId }) => teamId)).size).toBe(1);
      expect(starts.filter(({ newKey }) => newKey !== undefined)).toHaveLength(1);
      expect(await db.query("SELECT id FROM teams")).toHaveLength(1);
    } finally {
      await Promise.all(others.map((one) => one.close()));
    }
  });
});

it("uses the operator's key instead, on the first start and on later ones, and lets go of the one before", async () => {
  await withDatabase(async (db) => {
    const { teamId, newKey } = await ensureFirstTeam(db, { apiKey: "operators-key-1", now });
    expect(newKey).toBeUndefined();
    await ensureFirstTeam(db, { apiKey: "operators-key-1", now });
    expect((await findKeyCredential(db, "operators-key-1"))?.key?.name).toBe("QUARRY_API_KEY");
    await ensureFirstTeam(db, { apiKey: "operators-key-2", now });
    expect(await findKeyCredential(db, "operators-key-1")).toBeUndefined();
    expect((await findKeyCredential(db, "operators-key-2"))?.teamId).toBe(teamId);
    expect((await listKeys(db, teamId, { limit: 10 })).data).toHaveLength(1);
  });
});

it("does not bring a revoked key back because it is still in the environment", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { apiKey: "leaked", now });
    const key = (await findKeyCredential(db, "leaked"))?.key;
    await revokeKey(db, teamId, key?.id ?? "", { now, evenIfLast: true });
    await expect(ensureFirstTeam(db, { apiKey: "leaked", now })).rejects.toThrow(
      "the key in QUARRY_API_KEY was revoked on 2026-03-01T12:00:00.000Z",
    );
    await ensureFirstTeam(db, { apiKey: "another", now });
    expect(await findKeyCredential(db, "another")).toBeDefined();
  });
});

it("renews the local key of each server by its name", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { now });
    const one = await renewLocalKey(db, teamId, { name: "one", now });
    const keyId = (await findKeyCredential(db, one))?.key?.id ?? null;
    const session = await createSession(db, { teamId, keyId }, now);
    const other = await renewLocalKey(db, teamId, { name: "other", now });
    const renewed = await renewLocalKey(db, teamId, { name: "one", now });
    const found = await Promise.all([one, other, renewed].map((secret) => findKeyCredential(db, secret)));
    expect(found.map((credential) => credential?.key?.name)).toEqual([undefined, "other", "one"]);
    expect((await findSessionCredential(db, session.token))?.key?.name).toBe("one"); // a browser stays signed in over a restart
    await revokeKey(db, teamId, keyId ?? "", { now, evenIfLast: true });
    expect(await findSessionCredential(db, session.token)).toBeUndefined();
  });
});
