import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { listEvents } from "../events.ts";
import { withDatabase } from "../testing.ts";
import { statusOfKey } from "./api-key.ts";
import { findKeyCredential } from "./find-credential.ts";
import { createKey, getKey, listKeys, revokeKey, revokePreviousSecret, rotateKey, updateKey } from "./manage-keys.ts";
import { createSession } from "./sessions.ts";
import { createTeam } from "./teams.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const HOUR_MS = 3_600_000;

function later(milliseconds: number): Date {
  return new Date(now.getTime() + milliseconds);
}

verifies(["keys:storage:hashed", "keys:fields:name"], "keeps a hash and a hint of a key, never the key", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const { key, secret } = await createKey(db, teamId, { name: "my agent", scopes: ["search"] }, now);
    expect(secret).toMatch(/^qry_[0-9a-f]{48}$/);
    expect(key).toEqual({
      id: key.id,
      teamId,
      name: "my agent",
      hint: `…${secret.slice(-4)}`,
      scopes: ["search"],
      budgetDollars: null,
      spentDollars: 0,
      rateLimitPerSecond: null,
      createdAt: now,
      updatedAt: now,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      previousSecretExpiresAt: null,
    });
    const [{ dump } = { dump: "" }] = await db.query<{ dump: string }>(
      `SELECT (SELECT string_agg(to_jsonb(api_keys)::text, '') FROM api_keys) || (SELECT string_agg(to_jsonb(events)::text, '') FROM events) AS dump`,
    );
    expect(dump).toContain("my agent");
    expect(dump).not.toContain(secret);
    expect(dump).not.toContain(secret.slice(4));
    expect(await findKeyCredential(db, secret)).toEqual({ teamId, key, validUntil: null });
    expect(await findKeyCredential(db, `${secret}x`)).toBeUndefined();
  });
});

verifies("keys:lifecycle:rotate", "rotates: the new secret works, the old one for its grace", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const first = await createKey(db, teamId, { name: "k", scopes: ["all"] }, now);
    const second = await rotateKey(db, teamId, first.key.id, { graceMs: HOUR_MS, now });
    expect((await findKeyCredential(db, first.secret))?.validUntil).toEqual(later(HOUR_MS));
    expect((await findKeyCredential(db, second.secret))?.validUntil).toBeNull();
    const third = await rotateKey(db, teamId, first.key.id, { graceMs: 0, now });
    const found = await Promise.all([first, second, third].map(({ secret }) => findKeyCredential(db, secret)));
    expect(found.map((credential) => credential?.key?.id)).toEqual([undefined, undefined, first.key.id]);
  });
});

it("gives the earlier end when a rotated key also expires", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const wanted = { name: "k", scopes: ["all"], expiresAt: later(1_000) } as const;
    const first = await createKey(db, teamId, wanted, now);
    await rotateKey(db, teamId, first.key.id, { graceMs: HOUR_MS, now });
    expect((await findKeyCredential(db, first.secret))?.validUntil).toEqual(later(1_000));
    expect(statusOfKey(await getKey(db, teamId, first.key.id), later(1_000))).toBe("expired");
  });
});

it("changes what is given, takes away what is null, and leaves the rest", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const { key } = await createKey(
      db,
      teamId,
      { name: "k", scopes: ["search"], budgetDollars: 5, expiresAt: later(1) },
      now,
    );
    const changed = await updateKey(db, teamId, key.id, { scopes: ["index"], budgetDollars: null }, later(10));
    expect(changed).toEqual({ ...key, scopes: ["index"], budgetDollars: null, updatedAt: later(10) });
    expect(await updateKey(db, teamId, key.id, { expiresAt: null, name: "n" }, later(20))).toEqual({
      ...changed,
      name: "n",
      expiresAt: null,
      updatedAt: later(20),
    });
  });
});

verifies("keys:last-key:kept", "refuses to revoke the last key that manages keys, unless forced", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const keep = { now, evenIfLast: false };
    const admin = await createKey(db, teamId, { name: "admin", scopes: ["admin"] }, now);
    const expired = { name: "expired", scopes: ["all"], expiresAt: now } as const;
    await createKey(db, teamId, expired, now);
    const plain = await createKey(db, teamId, { name: "plain", scopes: ["search"] }, now);
    await expect(revokeKey(db, teamId, admin.key.id, keep)).rejects.toThrow("last working key");
    expect((await revokeKey(db, teamId, plain.key.id, keep)).revokedAt).toEqual(now);
    const other = await createKey(db, teamId, { name: "other", scopes: ["all"] }, now);
    const outcomes = await Promise.allSettled([admin, other].map(({ key }) => revokeKey(db, teamId, key.id, keep)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const revoked = await revokeKey(db, teamId, other.key.id, { now, evenIfLast: true });
    expect(await revokeKey(db, teamId, other.key.id, { now: later(5), evenIfLast: false })).toEqual(revoked);
    await expect(updateKey(db, teamId, other.key.id, { name: "x" }, now)).rejects.toMatchObject({ code: "conflict" });
  });
});

verifies("keys:last-key:kept", "refuses a change after which no key could manage keys", () =>
  withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const { key } = await createKey(db, teamId, { name: "only", scopes: ["all"] }, now);
    const lastOne = { code: "conflict", details: { tag: "LAST_ADMIN_KEY" } };
    await expect(updateKey(db, teamId, key.id, { scopes: ["search"] }, now)).rejects.toMatchObject(lastOne);
    await expect(updateKey(db, teamId, key.id, { expiresAt: now }, now)).rejects.toMatchObject(lastOne);
    expect(await getKey(db, teamId, key.id)).toEqual(key);
    await updateKey(db, teamId, key.id, { scopes: ["admin"], expiresAt: later(HOUR_MS) }, now);
    const other = await createKey(db, teamId, { name: "other", scopes: ["all"] }, now);
    const changes = [key, other.key].map(({ id }) => updateKey(db, teamId, id, { scopes: ["search"] }, now));
    expect((await Promise.allSettled(changes)).map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  }),
);

it("tells every change in the event log, without secrets", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    await createKey(db, teamId, { name: "other", scopes: ["all"] }, now);
    const { key } = await createKey(db, teamId, { name: "k", scopes: ["all"] }, now);
    await updateKey(db, teamId, key.id, { name: "renamed" }, now);
    await rotateKey(db, teamId, key.id, { graceMs: 0, now });
    await revokeKey(db, teamId, key.id, { now, evenIfLast: false });
    const events = await listEvents(db, { teamId, resource: { kind: "api_key", id: key.id }, limit: 10 });
    expect(events.data.map(({ type }) => type)).toEqual([
      "api_key.created",
      "api_key.updated",
      "api_key.rotated",
      "api_key.revoked",
    ]);
  });
});

verifies(
  ["security:teams:not-found-not-forbidden", "security:teams:no-leak-in-lists"],
  "hides a team's keys from another as if they were not there",
  async () => {
    await withDatabase(async (db) => {
      const mine = await createTeam(db, "Mine", now);
      const theirs = await createTeam(db, "Theirs", now);
      const { key } = await createKey(db, theirs, { name: "theirs", scopes: ["all"] }, now);
      expect((await listKeys(db, mine, { limit: 10 })).data).toEqual([]);
      const attempts = [
        getKey(db, mine, key.id),
        updateKey(db, mine, key.id, { name: "stolen" }, now),
        rotateKey(db, mine, key.id, { graceMs: 0, now }),
        revokeKey(db, mine, key.id, { now, evenIfLast: true }),
        createKey(db, mine, { id: key.id, name: "taken over", scopes: ["all"] }, now),
      ];
      const outcomes = await Promise.allSettled(attempts);
      expect(
        outcomes.map((outcome) => outcome.status === "rejected" && (outcome.reason as { code: string }).code),
      ).toEqual(attempts.map(() => "not_found"));
      expect(await getKey(db, theirs, key.id)).toEqual(key);
    });
  },
);

verifies("http:paging:walks-all", "pages through the keys, newest first, each once", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      ids.unshift((await createKey(db, teamId, { name: `${index}`, scopes: ["all"] }, later(index))).key.id);
    }
    const seen: string[] = [];
    let before: string | undefined;
    for (;;) {
      const page = await listKeys(db, teamId, { before, limit: 3 });
      seen.push(...page.data.map(({ id }) => id));
      before = page.data.at(-1)?.id;
      if (!page.hasMore) break;
    }
    expect(seen).toEqual(ids);
  });
});

it("ends browser sessions of a key that is rotated or revoked, or whose old secret is", async () => {
  await withDatabase(async (db) => {
    const teamId = await createTeam(db, "Team", now);
    await createKey(db, teamId, { name: "other", scopes: ["all"] }, now);
    const { key } = await createKey(db, teamId, { name: "k", scopes: ["all"] }, now);
    const count = async (): Promise<number> => (await db.query("SELECT 1 FROM sessions")).length;
    await createSession(db, { teamId, keyId: key.id }, now);
    await rotateKey(db, teamId, key.id, { graceMs: HOUR_MS, now });
    expect(await count()).toBe(0);
    await createSession(db, { teamId, keyId: key.id }, now);
    const stranger = await createTeam(db, "Another team", now);
    await expect(revokePreviousSecret(db, stranger, key.id, now)).rejects.toMatchObject({ code: "not_found" });
    expect(await count()).toBe(1);
    await revokePreviousSecret(db, teamId, key.id, now);
    expect(await count()).toBe(0);
    await createSession(db, { teamId, keyId: key.id }, now);
    await revokeKey(db, teamId, key.id, { now, evenIfLast: false });
    expect(await count()).toBe(0);
  });
});
