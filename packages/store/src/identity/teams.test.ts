import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { openDatabase } from "../open-database.ts";
import { withDatabase } from "../testing.ts";
import { findKeyCredential, findSessionCredential } from "./find-credential.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "./manage-keys.ts";
import { createSession } from "./sessions.ts";
import { createFirstKey, ensureFirstTeam, needsFirstKey, renewLocalKey } from "./teams.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

verifies("keys:first-start:team-and-key", "makes one team and one key, and shows the key once", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { now });
    expect(await needsFirstKey(db, teamId)).toBe(true);
    const secret = await createFirstKey(db, teamId, now);
    expect((await findKeyCredential(db, secret ?? ""))?.key?.scopes).toEqual(["all"]);
    expect(await ensureFirstTeam(db, { now })).toEqual({ teamId });
    expect(await needsFirstKey(db, teamId)).toBe(false);
  });
});

it("makes the first key at a later start when the first one ended before it showed one", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { now });
    await renewLocalKey(db, teamId, { name: "the start that ended", now });
    const again = await ensureFirstTeam(db, { now });
    expect(await needsFirstKey(db, again.teamId)).toBe(true);
    expect(await createFirstKey(db, again.teamId, now)).toMatch(/^qry_/);
  });
});

it.each([["search"], ["all"]] as const)(
  "makes the first key after a program has made one of scope %s",
  async (scope) => {
    await withDatabase(async (db) => {
      const { teamId } = await ensureFirstTeam(db, { now });
      const isNeeded = await needsFirstKey(db, teamId);
      await createKey(db, teamId, { name: "bot", scopes: [scope] }, now);
      expect([isNeeded, await createFirstKey(db, teamId, now)]).toEqual([true, expect.stringMatching(/^qry_/)]);
    });
  },
);

it("still needs a first key when the start ended after a program had made one that manages none", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { now });
    await createKey(db, teamId, { name: "bot", scopes: ["search"] }, now);
    expect(await needsFirstKey(db, teamId)).toBe(true);
  });
});

it("makes no first key after one was given or revoked", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { apiKey: "operators-key-1", now });
    expect(await needsFirstKey(db, teamId)).toBe(false);
    const key = (await findKeyCredential(db, "operators-key-1"))?.key;
    await revokeKey(db, teamId, key?.id ?? "", { now, evenIfLast: true });
    expect(await needsFirstKey(db, teamId)).toBe(false);
  });
});

it("makes one team and one key when ten processes start at once", async () => {
  await withDatabase(async (db, url) => {
    const others = await Promise.all(
      Array.from({ length: 9 }, () => openDatabase({ address: url, maxConnections: 1 })),
    );
    try {
      const starts = await Promise.all(
        [db, ...others].map(async (one) => {
          const { teamId } = await ensureFirstTeam(one, { now });
          return { teamId, newKey: await createFirstKey(one, teamId, now) };
        }),
      );
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
    const { teamId } = await ensureFirstTeam(db, { apiKey: "operators-key-1", now });
    await ensureFirstTeam(db, { apiKey: "operators-key-1", now });
    expect((await findKeyCredential(db, "operators-key-1"))?.key?.name).toBe("QUARRY_API_KEY");
    await ensureFirstTeam(db, { apiKey: "operators-key-2", now });
    expect(await findKeyCredential(db, "operators-key-1")).toBeUndefined();
    expect((await findKeyCredential(db, "operators-key-2"))?.teamId).toBe(teamId);
    expect((await listKeys(db, teamId, { limit: 10 })).data).toHaveLength(1);
  });
});

it("leaves a rotated key as it is while the environment still holds its old secret", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { apiKey: "leaked", now });
    const id = (await findKeyCredential(db, "leaked"))?.key?.id ?? "";
    const { secret } = await rotateKey(db, teamId, id, { graceMs: 0, now });
    await ensureFirstTeam(db, { apiKey: "leaked", now });
    const secrets = ["leaked", secret, "another"];
    const found = () => Promise.all(secrets.map(async (one) => (await findKeyCredential(db, one))?.key?.id));
    expect(await found()).toEqual([undefined, id, undefined]);
    await ensureFirstTeam(db, { apiKey: "another", now });
    expect(await found()).toEqual([undefined, undefined, id]);
    await rotateKey(db, teamId, id, { graceMs: 0, now });
    await revokeKey(db, teamId, id, { now, evenIfLast: true });
    await expect(ensureFirstTeam(db, { apiKey: "another", now })).rejects.toThrow("was revoked on");
  });
});

it("leaves the first key as it is when the environment gives the secret that it had before", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { now });
    const shown = (await createFirstKey(db, teamId, now)) ?? "";
    await ensureFirstTeam(db, { apiKey: shown, now });
    const id = (await findKeyCredential(db, shown))?.key?.id ?? "";
    const { secret } = await rotateKey(db, teamId, id, { graceMs: 0, now });
    await ensureFirstTeam(db, { apiKey: shown, now });
    expect(await findKeyCredential(db, shown)).toBeUndefined();
    expect((await findKeyCredential(db, secret))?.key?.id).toBe(id);
    expect((await listKeys(db, teamId, { limit: 10 })).data).toHaveLength(1);
  });
});

it.each([0, 60_000])(
  "leaves a key as it is whose new secret was given and rotated too (grace %d), and revoked when it is",
  async (graceMs) => {
    await withDatabase(async (db) => {
      const { teamId } = await ensureFirstTeam(db, { apiKey: "leaked", now });
      const id = (await findKeyCredential(db, "leaked"))?.key?.id ?? "";
      const second = await rotateKey(db, teamId, id, { graceMs, now });
      await ensureFirstTeam(db, { apiKey: second.secret, now });
      const third = await rotateKey(db, teamId, id, { graceMs, now });
      await ensureFirstTeam(db, { apiKey: second.secret, now });
      expect((await findKeyCredential(db, third.secret))?.key?.id).toBe(id);
      await revokeKey(db, teamId, id, { now, evenIfLast: true });
      await expect(ensureFirstTeam(db, { apiKey: second.secret, now })).rejects.toThrow("was revoked on");
      expect(await findKeyCredential(db, second.secret)).toBeUndefined();
    });
  },
);

it("knows a given secret by its grace, and still when that is over", async () => {
  await withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { now });
    const shown = (await createFirstKey(db, teamId, now)) ?? "";
    const id = (await findKeyCredential(db, shown))?.key?.id ?? "";
    await rotateKey(db, teamId, id, { graceMs: 60_000, now });
    await ensureFirstTeam(db, { apiKey: shown, now });
    const { secret } = await rotateKey(db, teamId, id, { graceMs: 0, now });
    await ensureFirstTeam(db, { apiKey: shown, now });
    expect(await findKeyCredential(db, shown)).toBeUndefined();
    expect((await findKeyCredential(db, secret))?.key?.id).toBe(id);
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
