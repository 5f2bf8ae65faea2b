import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import type { Queryable } from "../database.ts";
import { withDatabase } from "../testing.ts";
import { findKeyCredential, findSessionCredential } from "./find-credential.ts";
import { hashSecret, hintOf, makeSecret } from "./secret.ts";
import { createFirstKey, ensureFirstTeam } from "./teams.ts";

verifies(
  "keys:storage:constant-time",
  "compares digests alone, so that no time tells how much of a guess was right",
  async () => {
    await withDatabase(async (db) => {
      const now = new Date("2026-03-01T12:00:00.000Z");
      const { teamId } = await ensureFirstTeam(db, { now });
      const newKey = (await createFirstKey(db, teamId, now)) ?? "";
      const sent: unknown[] = [];
      const recording: Queryable = {
        query: (sql, values) => {
          sent.push(...(values ?? []));
          return db.query(sql, values);
        },
      };
      const almost = `${newKey.slice(0, -1)}${newKey.endsWith("0") ? "1" : "0"}`;
      expect((await findKeyCredential(recording, newKey))?.key?.name).toBe("First key");
      expect(await findKeyCredential(recording, almost)).toBeUndefined();
      expect(await findSessionCredential(recording, newKey)).toBeUndefined();
      expect(sent).toEqual([hashSecret(newKey), hashSecret(almost), hashSecret(newKey)]);
    });
  },
);

verifies(
  "security:ids:unguessable",
  "makes secrets of 192 random bits, and hints that give none of a short one away",
  () => {
    const secrets = Array.from({ length: 1_000 }, () => makeSecret("qry"));
    expect(new Set(secrets).size).toBe(1_000);
    expect(secrets.every((secret) => /^qry_[0-9a-f]{48}$/.test(secret))).toBe(true);
    for (let place = 4; place < 52; place += 1) {
      expect(new Set(secrets.map((secret) => secret[place])).size).toBe(16);
    }
    expect([hintOf("test-key"), hintOf("qry_0123456789abcdef")]).toEqual(["…", "…cdef"]);
  },
);
