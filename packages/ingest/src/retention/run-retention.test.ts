import {
  citeSnapshots,
  deleteDocuments,
  dropCitations,
  findDocument,
  findSnapshot,
  getExtractedText,
  listPastVersions,
  planRetention,
  takeBlobsToRemove,
  noteBlobsRemoved,
  writeUsage,
  type Database,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { extractContent } from "../extract-content.ts";
import { ingestPages } from "../ingest-pages.ts";
import { createSnapshotStore } from "../snapshot-store.ts";
import { memoryBlobStore } from "../testing.ts";
import { runRetention, type RetentionReport } from "./run-retention.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const begin = new Date("2026-01-01T00:00:00Z").getTime();
const url = "https://e.example/page";
const policy = { versions: 3, versionDays: 30, usageDays: 100 };
const never = new AbortController().signal;

/** A store in which a page changes day by day; `run` applies the policy on a day. */
function worldOf(database: Database) {
  const blobs = new Map<string, Uint8Array>();
  const store = memoryBlobStore(blobs);
  const snapshots = createSnapshotStore(store);
  const on = (day: number): Date => new Date(begin + day * DAY_MS);
  const deps = { database, snapshots, readPage: extractContent };
  return {
    blobs,
    on,
    save: async (text: string, day: number, address = url): Promise<string> => {
      const content = { kind: "text", text: `The page says: ${text}` } as const;
      const page = { teamId: "one", url: address, source: "api", fetchedAt: on(day), content } as const;
      const [outcome] = await ingestPages(deps, [page]);
      return outcome?.kind === "saved" ? outcome.snapshotId : "";
    },
    plan: (day: number) => planRetention(database, policy, on(day)),
    run: (day: number): Promise<RetentionReport> =>
      runRetention({ database, blobs: store, policy, now: () => on(day) }, never),
    versions: async () => (await listPastVersions(database, "one", url, 100)).map(({ snapshotId }) => snapshotId),
  };
}

describe("retention", () => {
  verifies(
    "snapshot:retention:policy",
    "keeps the newest versions and the young ones; of the others the row, the text and the bytes go, as the plan said",
    () =>
      withDatabase(async (database) => {
        const world = worldOf(database);
        const ids: string[] = [];
        for (let day = 0; day < 10; day += 1) ids.push(await world.save(`day ${day}`, day));
        expect(await world.run(20)).toEqual({ versions: 0, texts: 0, snapshots: 0, blobs: 0, usageRecords: 0 });
        const plan = await world.plan(35.5);
        expect(plan).toMatchObject({ versions: 6, texts: 6, snapshots: 6, usageRecords: 0 });
        expect(plan.snapshotBytes).toBeGreaterThan(6 * 15);
        expect(await world.run(35.5)).toEqual({ versions: 6, texts: 6, snapshots: 6, blobs: 6, usageRecords: 0 });
        expect(await world.versions()).toEqual(ids.slice(6).toReversed());
        expect(world.blobs.size).toBe(4);
        // However old, the newest three stay.
        expect(await world.run(4_000)).toMatchObject({ versions: 1, snapshots: 1 });
        expect(await world.versions()).toEqual(ids.slice(7).toReversed());
        expect(await findSnapshot(database, ["one"], ids[0] ?? "")).toBeUndefined();
      }),
  );

  verifies(
    "snapshot:retention:cited-kept",
    "what anything refers to stays: another document, a citation, a page that went back to what it was",
    () =>
      withDatabase(async (database) => {
        const world = worldOf(database);
        const cited = await world.save("cited", 0);
        const shared = await world.save("shared with another page", 1);
        await world.save("shared with another page", 1, "https://e.example/other");
        const current = await world.save("back again", 2);
        for (let day = 3; day < 8; day += 1) await world.save(`day ${day}`, day);
        await world.save("back again", 9);
        const citer = { kind: "research", id: "r1" };
        const text = { snapshotId: cited, extractorVersion: "given-text-1" };
        await database.transaction((tx) => citeSnapshots(tx, citer, [text, { ...text, extractorVersion: "none" }]));
        await world.run(1_000);
        for (const id of [cited, shared, current]) {
          expect(await findSnapshot(database, ["one"], id)).toBeDefined();
          expect(await getExtractedText(database, id, "given-text-1")).toBeDefined();
          expect([...world.blobs.keys()].some((key) => key.includes(id))).toBe(true);
        }
        expect(await findDocument(database, ["one"], url)).toMatchObject({ snapshotId: current });
        await database.transaction((tx) => dropCitations(tx, citer));
        expect(await world.run(1_001)).toMatchObject({ snapshots: 1, blobs: 1 });
        expect(await findSnapshot(database, ["one"], cited)).toBeUndefined();
      }),
  );

  it("lets go of deleted documents a day later, and of what a crash left without rows", () =>
    withDatabase(async (database) => {
      const world = worldOf(database);
      await world.save("to be deleted", 0);
      world.blobs.set(`snapshots/ab/${"ab".repeat(32)}.gz`, Buffer.from("orphan"));
      await database.transaction((tx) => deleteDocuments(tx, "one", [url], world.on(1)));
      await database.query("DELETE FROM index_outbox");
      expect(await world.run(1.5)).toMatchObject({ versions: 0, snapshots: 0, blobs: 1 });
      expect(await world.run(3)).toMatchObject({ versions: 1, texts: 1, snapshots: 1, blobs: 1 });
      expect(world.blobs.size).toBe(0);
      await world.save("to be deleted", 4);
      expect(world.blobs.size).toBe(1);
    }));

  it("forgets usage records after their time", () =>
    withDatabase(async (database) => {
      const world = worldOf(database);
      const use = {
        teamId: "one",
        keyId: null,
        endpoint: "/search",
        status: 200,
        latencyMs: 1,
        tokens: 0,
        costDollars: 0,
      };
      await writeUsage(
        database,
        [0, 50, 150].map((day) => ({ ...use, at: world.on(day) })),
      );
      expect((await world.plan(149)).usageRecords).toBe(1);
      expect((await world.run(151)).usageRecords).toBe(2);
    }));

  it("loses no bytes that are saved again while they are removed", () =>
    withDatabase(async (database) => {
      const world = worldOf(database);
      const id = await world.save("comes back", 0, "https://e.example/gone");
      await database.transaction((tx) => deleteDocuments(tx, "one", ["https://e.example/gone"], world.on(1)));
      await database.query("DELETE FROM index_outbox");
      // The bytes are seen, then their removal begins, then the rows are written.
      const key = [...world.blobs.keys()][0] ?? "";
      await database.query("INSERT INTO removed_blobs (key, state, changed_at) VALUES ($1, 'queued', $2)", [
        key,
        world.on(2),
      ]);
      expect(await takeBlobsToRemove(database, 10, world.on(2))).toEqual([key]);
      const saving = world.save("comes back", 3);
      world.blobs.delete(key);
      await noteBlobsRemoved(database, [key], world.on(2));
      expect(await saving).toBe(id);
      expect([...world.blobs.keys()]).toEqual([key]);
      // And bytes that only wait for their removal stay.
      await database.query("INSERT INTO removed_blobs (key, state, changed_at) VALUES ($1, 'queued', $2)", [
        key,
        world.on(4),
      ]);
      await world.save("comes back", 5, "https://e.example/third");
      expect(await takeBlobsToRemove(database, 10, world.on(6))).toEqual([]);
    }));
});
