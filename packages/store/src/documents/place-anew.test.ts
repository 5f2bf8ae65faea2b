import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { migrate } from "../migrate.ts";
import { migrationsDirectory, withDatabase, withEmptyDatabase } from "../testing.ts";
import { deleteDocuments } from "./delete-documents.ts";
import { findDuplicates } from "./find-duplicate.ts";
import { confirmIndexed, readIndexOutbox } from "./index-outbox.ts";
import { findDocuments } from "./read-documents.ts";
import type { DocumentToSave } from "./save-documents.ts";
import { documentOf, fingerprint, later, now, save } from "./testing.ts";

const bits = 0xf0f0_1234_5678_9abcn;
const urlOf = (name: string): string => `https://e.org/${name}`;

/** The page `name` of one text; as a duplicate of `of`, where told. */
function page(name: string, of: string | null = null, change: Partial<DocumentToSave> = {}, text = "same") {
  const canonicalUrl = of === null ? null : urlOf(of);
  return documentOf(urlOf(name), text, { simhash: fingerprint(bits), canonicalUrl, ...change });
}

function remove(db: Database, ...names: readonly string[]): Promise<readonly string[]> {
  return db.transaction((tx) => deleteDocuments(tx, "one", names.map(urlOf), now));
}

/** Which page stands for each that is there, by name; null where it does itself. */
async function placesOf(db: Database, teamId = "one"): Promise<Record<string, string | null>> {
  const found = await findDocuments(db, [teamId], ["a", "b", "c", "d", "x"].map(urlOf));
  const nameOf = (url: string): string => url.slice(urlOf("").length);
  return Object.fromEntries(
    [...found.values()]
      .map(({ url, canonicalUrl }) => [nameOf(url), canonicalUrl === null ? null : nameOf(canonicalUrl)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** The index has learnt of everything. */
async function settle(db: Database): Promise<void> {
  await confirmIndexed(
    db,
    (await readIndexOutbox(db, 100)).map((change) => (change.kind === "upsert" ? change.document : change)),
  );
}

const other = { simhash: fingerprint(~bits), crawledAt: later(1) };

describe("the duplicates of a page", () => {
  it("are led by the oldest of them once it is deleted, and are queued for the index", () =>
    withDatabase(async (db) => {
      await save(db, page("a"));
      await save(db, page("c", "a"), page("a", null, { teamId: "two" }), page("b", "a", { teamId: "two" }));
      await save(db, page("b", "a"), page("d", "a"));
      await settle(db);
      await remove(db, "a");
      expect(await placesOf(db)).toEqual({ b: "c", c: null, d: "c" });
      expect(await placesOf(db, "two")).toEqual({ a: null, b: "a" });
      const queued = await readIndexOutbox(db, 10);
      expect(queued.map((change) => (change.kind === "upsert" ? change.document.url : change.url)).sort()).toEqual(
        ["a", "b", "c", "d"].map(urlOf),
      );
    }));

  it("are placed anew when it says something else, each by itself where they are not alike", () =>
    withDatabase(async (db) => {
      const near = { simhash: fingerprint(bits ^ 0b111111n) };
      const asNear = { simhash: fingerprint(bits ^ (0b111111n << 20n)) };
      await save(db, page("a"));
      await save(db, page("b", "a", near, "near"), page("c", "a", asNear, "as near"), page("d", "a", near, "near"));
      await save(db, page("a", null, other, "another"));
      expect(await placesOf(db)).toEqual({ a: null, b: null, c: null, d: "b" });
    }));

  it("do not point to one that is a duplicate itself, unchanged or newer than what came", () =>
    withDatabase(async (db) => {
      const declared = { declaredUrl: urlOf("b"), simhash: fingerprint(~bits) };
      await save(db, page("c"));
      for (const time of [1, 2]) {
        const crawledAt = later(time);
        await save(db, page("a", "b", { ...declared, crawledAt }, "other"), page("b", "c", { crawledAt }));
        expect(await placesOf(db)).toEqual({ a: null, b: "c", c: null });
      }
      await save(db, page("a", "b", { ...declared, crawledAt: later(3) }, "other"), page("b"));
      expect(await placesOf(db)).toEqual({ a: null, b: "c", c: null });
      await save(db, page("d", "b", { crawledAt: later(3) }), page("b", "c", { crawledAt: later(3) }));
      expect(await placesOf(db)).toEqual({ a: null, b: "c", c: null, d: "c" });
    }));

  it("stay where they are while it says nearly the same, or they declare it", () =>
    withDatabase(async (db) => {
      const declared = { declaredUrl: urlOf("a") };
      await save(db, page("a"));
      await save(db, page("b", "a"), page("c", "a", declared));
      await settle(db);
      const near = { simhash: fingerprint(bits ^ 0b111n), crawledAt: later(1) };
      await save(db, page("a", null, near, "nearly"));
      expect(await placesOf(db)).toEqual({ a: null, b: "a", c: "a" });
      expect((await readIndexOutbox(db, 10)).length).toBe(1);
      await save(db, page("a", null, { ...other, crawledAt: later(2) }, "another"));
      expect(await placesOf(db)).toEqual({ a: null, b: null, c: "a" });
      await remove(db, "a");
      expect(await placesOf(db)).toEqual({ b: null, c: null });
    }));

  it("follow it to a page that it became a duplicate of, where they are like that one", () =>
    withDatabase(async (db) => {
      await save(db, page("a"), page("x", null, other, "another"));
      await save(db, page("b", "a"), page("c", "a", other, "another"), page("d", "a"));
      await save(db, page("a", "x", other, "another"));
      expect(await placesOf(db)).toEqual({ a: "x", b: null, c: "x", d: "b", x: null });
    }));

  it("change places with it", () =>
    withDatabase(async (db) => {
      await save(db, page("a"));
      await save(db, page("b", "a"), page("c", "a"));
      await save(db, page("a", "c", { crawledAt: later(1) }));
      expect(await placesOf(db)).toEqual({ a: "c", b: "c", c: null });
    }));

  it("are found by the next that is like them", () =>
    withDatabase(async (db) => {
      await save(db, page("a"));
      await save(db, page("b", "a"));
      await remove(db, "a");
      const [row] = await db.query<{ keys: readonly number[] }>("SELECT simhash_keys_of('00000000000000ff') AS keys");
      expect(row?.keys.slice(0, 8)).toEqual([0, 0x10000, 0x20000, 0x30000, 0x40000, 0x50000, 0x600ff, 0x70000]);
      const asked = { ...page("c", null, {}, "nearly"), simhash: { ...fingerprint(bits), keys: [0xf0f0] } };
      expect(await findDuplicates(db, [asked], 6)).toEqual([urlOf("b")]);
    }));
});

it("a page saved as the duplicate of one that went meanwhile stands for itself", () =>
  withDatabase(async (db) => {
    await save(db, page("a"));
    await remove(db, "a");
    await save(db, page("b", "a"));
    expect(await placesOf(db)).toEqual({ b: null });
  }));

it("writers of pages that are duplicates of each other do not deadlock", () =>
  withDatabase(async (db) => {
    const names = ["a", "b", "c", "d"];
    await save(db, page("a"));
    await save(db, page("b", "a"), page("c", "a"), page("d", "a"));
    await Promise.all(
      Array.from({ length: 48 }, async (_, round) => {
        const name = names[round % 4] ?? "a";
        const crawledAt = later(round);
        if (round % 3 === 0) await remove(db, name);
        else await save(db, page(name, names[(round + 1) % 4], { crawledAt }, round % 2 === 0 ? "same" : `t ${round}`));
      }),
    );
    const places = await placesOf(db);
    for (const of of Object.values(places)) if (of !== null) expect(places[of]).toBeNull();
  }));

it("an upgrade brings those back whose page went before", () =>
  withEmptyDatabase(async (db) => {
    await migrate(db, migrationsDirectory, { upTo: 30 });
    await db.query("INSERT INTO snapshots VALUES (repeat('0', 64), 'text/plain', NULL, 1, now())");
    await db.query("INSERT INTO extracted_texts VALUES (repeat('0', 64), '1', 't', 't', NULL, now())");
    await db.query(
      `INSERT INTO documents (team_id, url, version, canonical_url, simhash, content_hash, snapshot_id,
         extractor_version, source, crawled_at, changed_at)
       SELECT 'one', 'https://e.org/' || name, nextval('document_versions'), 'https://e.org/' || of, simhash,
         sha256(name::bytea), repeat('0', 64), '1', 'api', now(), now()
       FROM (VALUES ('x', NULL, NULL), ('b', 'a', repeat('f', 16)), ('c', 'a', repeat('f', 16)), ('d', 'x', NULL))
         AS given (name, of, simhash)`,
    );
    await migrate(db, migrationsDirectory);
    expect(await placesOf(db)).toEqual({ b: null, c: "b", d: "x", x: null });
    expect((await readIndexOutbox(db, 10)).length).toBe(2);
  }));
