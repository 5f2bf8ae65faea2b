import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { Database } from "./database.ts";
import {
  appendEvent,
  appendEvents,
  EVENTS_CHANNEL,
  getEvent,
  listEvents,
  type NewEvent,
  type StoredEvent,
} from "./events.ts";
import { withDatabase } from "./testing.ts";

const TEAM = "team_a";

function anEvent(changes: Partial<NewEvent> = {}): NewEvent {
  return {
    teamId: TEAM,
    type: "webset.created",
    resource: { kind: "webset", id: "webset_1" },
    data: { id: "webset_1" },
    ...changes,
  };
}

function append(db: Database, changes: Partial<NewEvent> = {}, now?: Date): Promise<StoredEvent> {
  return db.transaction((tx) => appendEvent(tx, anEvent(changes), now));
}

describe("appendEvent", () => {
  verifies("store:events:append-in-transaction", "writes in the caller's transaction", () =>
    withDatabase(async (db) => {
      const failed = db.transaction(async (tx) => {
        await appendEvent(tx, anEvent());
        throw new Error("the change failed");
      });
      await expect(failed).rejects.toThrow("the change failed");
      expect((await listEvents(db, { teamId: TEAM, limit: 10 })).data).toEqual([]);
      const event = await append(db);
      expect((await listEvents(db, { teamId: TEAM, limit: 10 })).data).toEqual([event]);
      expect(await getEvent(db, TEAM, event.id)).toEqual(event);
    }),
  );

  verifies("store:events:append-only", "is the only way to write: rows never change or go", () =>
    withDatabase(async (db) => {
      const event = await append(db);
      for (const sql of ["UPDATE events SET type = 'x'", "DELETE FROM events", "TRUNCATE events"]) {
        await expect(db.query(sql)).rejects.toMatchObject({
          cause: { message: expect.stringContaining("append-only") as string },
        });
      }
      expect(await getEvent(db, TEAM, event.id)).toEqual(event);
    }),
  );

  it("has a form for many that keeps their order", async () => {
    await withDatabase(async (db) => {
      const data = [null, false, 0, "", [], { text: "nul \0" }];
      const stored = await db.transaction((tx) =>
        appendEvents(
          tx,
          data.map((value) => anEvent({ data: value })),
        ),
      );
      expect(stored.map((event) => event.data)).toEqual([null, false, 0, "", [], { text: "nul \ufffd" }]);
      expect((await listEvents(db, { teamId: TEAM, limit: 10 })).data).toEqual(stored);
      expect(await db.transaction((tx) => appendEvents(tx, []))).toEqual([]);
    });
  });

  it("tells listeners which team it was, after the commit", async () => {
    await withDatabase(async (db) => {
      let heard: (payload: string) => void = () => undefined;
      const notification = new Promise<string>((resolve) => (heard = resolve));
      const subscription = await db.listen(EVENTS_CHANNEL, heard);
      await append(db, { teamId: "team_b" });
      expect(await notification).toBe("team_b");
      await subscription.close();
    });
  });
});

describe("listEvents", () => {
  it("pages through the log in either order", async () => {
    await withDatabase(async (db) => {
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1) ids.push((await append(db)).id);
      for (const order of ["oldest-first", "newest-first"] as const) {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(db, {
            teamId: TEAM,
            order,
            limit: 2,
            ...(cursor === null ? {} : { cursor }),
          });
          expect(page.hasMore).toBe(page.nextCursor !== null);
          seen.push(...page.data.map((event) => event.id));
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(seen).toEqual(order === "oldest-first" ? ids : ids.toReversed());
      }
    });
  });

  it("filters by type, resource and time, and shows no other team's events", async () => {
    await withDatabase(async (db) => {
      const [early, late] = [new Date("2026-01-01T00:00:00.000Z"), new Date("2026-02-01T00:00:00.000Z")];
      const created = await append(db, {}, early);
      const idle = await append(db, { type: "webset.idle" }, late);
      const item = await append(db, { type: "webset.item.created", resource: { kind: "item", id: "i" } }, late);
      const foreign = await append(db, { teamId: "team_b" }, late);
      const list = async (question: object): Promise<readonly StoredEvent[]> =>
        (await listEvents(db, { teamId: TEAM, limit: 10, ...question })).data;
      expect(await list({})).toEqual([created, idle, item]);
      expect(await list({ types: ["webset.idle", "webset.created"] })).toEqual([created, idle]);
      expect(await list({ resource: { kind: "item", id: "i" } })).toEqual([item]);
      expect(await list({ createdAfter: late })).toEqual([idle, item]);
      expect(await list({ createdBefore: early })).toEqual([created]);
      expect(await getEvent(db, TEAM, foreign.id)).toBeUndefined();
    });
  });

  it("with settledOnly never shows an event before one that may still commit", async () => {
    await withDatabase(async (db) => {
      let commit: () => void = () => undefined;
      const mayCommit = new Promise<void>((resolve) => (commit = resolve));
      let wrote: () => void = () => undefined;
      const hasWritten = new Promise<void>((resolve) => (wrote = resolve));
      const slow = db.transaction(async (tx) => {
        const event = await appendEvent(tx, anEvent({ type: "slow" }));
        wrote();
        await mayCommit;
        return event;
      });
      await hasWritten;
      const quick = await append(db, { type: "quick" });
      const types = async (settledOnly: boolean): Promise<readonly string[]> =>
        (await listEvents(db, { teamId: TEAM, limit: 10, settledOnly })).data.map((event) => event.type);
      expect(await types(false)).toEqual(["quick"]);
      expect(await types(true)).toEqual([]);
      commit();
      expect((await slow).sequence).toBeLessThan(quick.sequence);
      expect(await types(true)).toEqual(["slow", "quick"]);
    });
  });

  it("with settledOnly misses none of a transaction that is younger than the one that wrote later", async () => {
    await withDatabase(async (db) => {
      const types = async (): Promise<readonly string[]> =>
        (await listEvents(db, { teamId: TEAM, limit: 10, settledOnly: true })).data.map((event) => event.type);
      await db.transaction(async (younger) => {
        await db.transaction(async (older) => {
          await older.query("SELECT pg_current_xact_id()");
          await appendEvent(younger, anEvent({ type: "first" }));
          await appendEvent(older, anEvent({ type: "second" }));
        });
        expect(await types()).toEqual([]);
      });
      expect(await types()).toEqual(["first", "second"]);
    });
  });

  it.each(["nonsense", "WyJ4Il0"])("refuses the cursor %s", async (cursor) => {
    await withDatabase(async (db) => {
      await expect(listEvents(db, { teamId: TEAM, limit: 1, cursor })).rejects.toMatchObject({
        code: "invalid_request",
      });
    });
  });
});
