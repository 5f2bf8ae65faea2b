import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import type { Database } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { findSessionCredential } from "./find-credential.ts";
import { createKey, updateKey } from "./manage-keys.ts";
import { createSession, createSignInLink, endSession, redeemSignInLink } from "./sessions.ts";
import { createTeam } from "./teams.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

async function withTeam(work: (db: Database, teamId: string) => Promise<void>): Promise<void> {
  await withDatabase(async (db) => work(db, await createTeam(db, "Team", now)));
}

verifies("security:browser:one-time-link", "gives one session to twenty that open one link at once", async () => {
  await withTeam(async (db, teamId) => {
    const { token } = await createSignInLink(db, { teamId, keyId: null }, now);
    const sessions = await Promise.all(Array.from({ length: 20 }, () => redeemSignInLink(db, token, now)));
    const [session, ...more] = sessions.filter((one) => one !== undefined);
    expect(more).toEqual([]);
    expect(await findSessionCredential(db, session?.token ?? "")).toEqual({
      teamId,
      key: null,
      validUntil: new Date("2026-03-08T12:00:00.000Z"),
    });
    expect(await redeemSignInLink(db, token, now)).toBeUndefined();
  });
});

verifies("security:browser:link-expires", "lets an unused link go after fifteen minutes", async () => {
  await withTeam(async (db, teamId) => {
    const { token, expiresAt } = await createSignInLink(db, { teamId, keyId: null }, now);
    expect(expiresAt).toEqual(new Date("2026-03-01T12:15:00.000Z"));
    expect(await redeemSignInLink(db, token, expiresAt)).toBeUndefined();
    expect(await redeemSignInLink(db, "link_unknown", now)).toBeUndefined();
  });
});

verifies("security:browser:sign-out", "ends a session on the server, and keeps only hashes of tokens", async () => {
  await withTeam(async (db, teamId) => {
    const { token } = await createSession(db, { teamId, keyId: null }, now);
    const [{ dump } = { dump: "" }] = await db.query<{ dump: string }>(
      "SELECT string_agg(to_jsonb(sessions)::text, '') AS dump FROM sessions",
    );
    expect(dump).toContain(teamId);
    expect(dump).not.toContain(token.slice(8));
    await endSession(db, token);
    expect(await findSessionCredential(db, token)).toBeUndefined();
    await endSession(db, token);
  });
});

verifies("keys:fields:expiry", "ties a session to its key: scopes, expiry", async () => {
  await withTeam(async (db, teamId) => {
    const { key } = await createKey(db, teamId, { name: "k", scopes: ["search"] }, now);
    const { token } = await createSession(db, { teamId, keyId: key.id }, now);
    expect((await findSessionCredential(db, token))?.key?.scopes).toEqual(["search"]);
    const expiresAt = new Date("2026-03-02T00:00:00.000Z");
    await updateKey(db, teamId, key.id, { expiresAt }, now);
    expect((await findSessionCredential(db, token))?.validUntil).toEqual(expiresAt);
  });
});
