import { describe, expect, it } from "vitest";
import { withDatabase } from "../testing.ts";
import { deleteDocuments } from "./delete-documents.ts";
import { SHARED_TEAM } from "./document.ts";
import { findSnapshot, getExtractedText } from "./extracted-texts.ts";
import { findDuplicates } from "./find-duplicate.ts";
import { confirmIndexed, countIndexOutbox, readIndexOutbox } from "./index-outbox.ts";
import { findDocumentsWithText, findOwnUrls, findTextParts, findTexts } from "./read-document-texts.ts";
import { findDocument, findDocuments, listDocuments, listPastVersions } from "./read-documents.ts";
import { documentOf, fingerprint, later, now, save } from "./testing.ts";

describe("saveDocuments", () => {
  it("creates, leaves unchanged, updates, and refuses what is older", () =>
    withDatabase(async (db) => {
      const statusOf = async (text: string, crawledAt: Date): Promise<string | undefined> =>
        (await save(db, documentOf("https://e.org/", text, { crawledAt })))[0]?.status;
      expect(await statusOf("first", later(0))).toBe("created");
      expect(await statusOf("first", later(1))).toBe("unchanged");
      expect(await statusOf("second", later(2))).toBe("updated");
      expect(await statusOf("first", later(1))).toBe("stale");
      const document = await findDocument(db, ["one"], "https://e.org/");
      expect(document).toMatchObject({ visitCount: 3, changeCount: 1, crawledAt: later(2), changedAt: later(2) });
      expect((await listPastVersions(db, "one", "https://e.org/", 10)).map(({ seenAt }) => seenAt)).toEqual([
        later(2),
        later(0),
      ]);
    }));

  it("answers in the order asked, and takes the later of two entries for one URL", () =>
    withDatabase(async (db) => {
      const urls = ["https://e.org/b", "https://e.org/a", "https://e.org/b"];
      const saved = await save(db, ...urls.map((url, index) => documentOf(url, `text ${index}`)));
      expect(saved.map(({ url, status }) => [url, status])).toEqual(urls.map((url) => [url, "created"]));
      const document = await findDocument(db, ["one"], "https://e.org/b");
      expect((await getExtractedText(db, document?.snapshotId ?? "", "test-1"))?.text).toBe("text 2");
    }));

  it("survives the same URLs from many writers at once, in any order", () =>
    withDatabase(async (db) => {
      const urls = Array.from({ length: 20 }, (_, index) => `https://e.org/${index}`);
      const writers = Array.from({ length: 8 }, (_, writer) => {
        const mine = writer % 2 === 0 ? urls : [...urls].reverse();
        return save(db, ...mine.map((url) => documentOf(url, `by ${writer}`, { crawledAt: later(writer) })));
      });
      await Promise.all(writers);
      const documents = [...(await findDocuments(db, ["one"], urls)).values()];
      expect(new Set(documents.map(({ crawledAt }) => crawledAt.getTime()))).toEqual(new Set([later(7).getTime()]));
      expect(await countIndexOutbox(db)).toBe(20);
    }));

  it("keeps text that PostgreSQL cannot hold as it is, at the same offsets", () =>
    withDatabase(async (db) => {
      const text = "nul \0 lone \ud800 pair 😀 end";
      await save(db, documentOf("https://e.org/", text, { title: text, details: { links: [{ url: "u", text }] } }));
      const [change] = await readIndexOutbox(db, 1);
      const stored = "nul \ufffd lone \ufffd pair 😀 end";
      expect(change).toMatchObject({
        text: stored,
        document: { title: stored, details: { links: [{ text: stored }] } },
      });
      expect(stored).toHaveLength(text.length);
    }));
});

describe("teams", () => {
  it("have documents of their own, and read the shared ones beside them", () =>
    withDatabase(async (db) => {
      const url = "https://e.org/";
      await save(db, documentOf(url, "of all", { teamId: SHARED_TEAM }));
      await save(db, documentOf(url, "of two", { teamId: "two" }));
      const seen = async (team: string): Promise<string | undefined> =>
        (await findDocument(db, [team, SHARED_TEAM], url))?.teamId;
      expect([await seen("one"), await seen("two")]).toEqual([SHARED_TEAM, "two"]);
      const secret = documentOf(url, "of two").snapshotId;
      expect(await findSnapshot(db, ["one", SHARED_TEAM], secret)).toBeUndefined();
      expect(await findSnapshot(db, ["two", SHARED_TEAM], secret)).toMatchObject({ id: secret, byteLength: 6 });
      expect(await db.transaction((tx) => deleteDocuments(tx, "one", [url], now))).toEqual([]);
    }));
});

describe("the index outbox", () => {
  it("holds each changed document once, until the index has its newest version", () =>
    withDatabase(async (db) => {
      await save(db, documentOf("https://e.org/a", "first"), documentOf("https://e.org/b", "b"));
      const [first] = await readIndexOutbox(db, 10);
      if (first?.kind !== "upsert") throw new Error("expected an upsert");
      await save(db, documentOf("https://e.org/a", "second", { crawledAt: later(1) }));
      await confirmIndexed(db, [first.document]);
      const waiting = await readIndexOutbox(db, 10);
      expect(waiting.map((change) => change.kind === "upsert" && change.text)).toEqual(["b", "second"]);
    }));

  it("gives no more text at once than may be held, and at least one document", () =>
    withDatabase(async (db) => {
      const letters = ["a", "b", "c"];
      await save(db, ...letters.map((letter) => documentOf(`https://e.org/${letter}`, letter.repeat(5))));
      const countWithin = async (maxTextBytes: number) => (await readIndexOutbox(db, 10, { maxTextBytes })).length;
      expect([await countWithin(1), await countWithin(9), await countWithin(10), await countWithin(100)]).toEqual([
        1, 1, 2, 3,
      ]);
    }));

  it("tells of deletions, and the tombstone goes when the index has forgotten", () =>
    withDatabase(async (db) => {
      await save(db, documentOf("https://e.org/a", "a"));
      const removed = await db.transaction((tx) =>
        deleteDocuments(tx, "one", ["https://e.org/a", "https://e.org/none"], now),
      );
      expect(removed).toEqual(["https://e.org/a"]);
      expect(await findDocument(db, ["one"], "https://e.org/a")).toBeUndefined();
      const [change] = await readIndexOutbox(db, 10);
      if (change?.kind !== "remove") throw new Error("expected a removal");
      await confirmIndexed(db, [change]);
      expect(await db.query("SELECT FROM documents")).toEqual([]);
      expect((await save(db, documentOf("https://e.org/a", "a")))[0]?.status).toBe("created");
    }));

  it("takes a document back that was deleted and came again before the index heard", () =>
    withDatabase(async (db) => {
      await save(db, documentOf("https://e.org/a", "a"));
      await db.transaction((tx) => deleteDocuments(tx, "one", ["https://e.org/a"], now));
      expect((await save(db, documentOf("https://e.org/a", "a")))[0]?.status).toBe("updated");
      expect((await readIndexOutbox(db, 10)).map(({ kind }) => kind)).toEqual(["upsert"]);
    }));
});

describe("findDuplicates", () => {
  it("finds the oldest page of the same team with equal or nearly equal content", () =>
    withDatabase(async (db) => {
      const bits = 0xf0f0_1234_5678_9abcn;
      await save(db, documentOf("https://e.org/1", "original", { simhash: fingerprint(bits) }));
      await save(db, documentOf("https://e.org/2", "other team", { simhash: fingerprint(bits), teamId: "two" }));
      const ask = async (change: bigint, text = "new"): Promise<string | undefined> => {
        const page = { ...documentOf("https://e.org/9", text), simhash: fingerprint(bits ^ change) };
        return (await findDuplicates(db, [page], 3))[0];
      };
      expect(await ask(0b111n)).toBe("https://e.org/1");
      expect(await ask(1n | (1n << 20n) | (1n << 63n))).toBe("https://e.org/1");
      expect(await ask(0b1111n)).toBeUndefined();
      expect(await ask(~0n, "original")).toBe("https://e.org/1");
      const itself = { ...documentOf("https://e.org/1", "original"), simhash: fingerprint(bits) };
      const copy = { ...documentOf("https://e.org/9", "original"), simhash: null };
      expect(await findDuplicates(db, [itself, copy, itself], 3)).toEqual([undefined, "https://e.org/1", undefined]);
      expect(await findDuplicates(db, [], 3)).toEqual([]);
    }));
});

describe("listDocuments", () => {
  it("pages newest first, past equal times, to the end", () =>
    withDatabase(async (db) => {
      await save(
        db,
        ...[0, 0, 1, 1, 2].map((at, index) =>
          documentOf(`https://e.org/${index}`, `t${index}`, { crawledAt: later(at) }),
        ),
      );
      const first = await listDocuments(db, "one", { limit: 2 });
      const last = first.data.at(-1);
      const rest = await listDocuments(db, "one", {
        limit: 5,
        after: [last?.crawledAt.toISOString() ?? "", last?.url ?? ""],
      });
      expect([...first.data, ...rest.data].map(({ url }) => url.slice(-1)).join("")).toBe("42301");
      expect([first.hasMore, rest.hasMore]).toEqual([true, false]);
    }));
});

describe("findDocumentsWithText", () => {
  it("gives each team its own text of a URL, and nothing of deleted documents", () =>
    withDatabase(async (db) => {
      await save(
        db,
        documentOf("https://e.org/", "ours"),
        documentOf("https://e.org/", "theirs", { teamId: "two" }),
        documentOf("https://e.org/gone", "gone"),
      );
      await db.transaction((tx) => deleteDocuments(tx, "one", ["https://e.org/gone"], later(1)));
      const places = [
        { teamId: "two", url: "https://e.org/" },
        { teamId: "one", url: "https://e.org/gone" },
        { teamId: "one", url: "https://e.org/unknown" },
      ];
      expect(await findTexts(db, places)).toEqual([{ teamId: "two", url: "https://e.org/", text: "theirs" }]);
      expect(await findDocumentsWithText(db, places)).toMatchObject([
        {
          document: { teamId: "two", url: "https://e.org/" },
          text: "theirs",
          markdown: "theirs",
          mediaType: "text/plain",
        },
      ]);
      expect([await findTexts(db, []), await findDocumentsWithText(db, [])]).toEqual([[], []]);
      const urls = places.map(({ url }) => url);
      expect(await findOwnUrls(db, "one", urls)).toEqual(new Set(["https://e.org/"]));
      expect(await findOwnUrls(db, "three", urls)).toEqual(new Set());
    }));
});

describe("findTextParts", () => {
  it("gives short texts whole, and of long ones the lead and what begins where it was asked to", () =>
    withDatabase(async (db) => {
      const long = `${"a".repeat(10)}${"b".repeat(10)}${"ж".repeat(10)}${"d".repeat(10)}`;
      await save(db, documentOf("https://e.org/short", "ж".repeat(20)), documentOf("https://e.org/long", long));
      const size = { leadCharacters: 10, maxCharacters: 20 };
      const read = async (url: string, start: number): Promise<string | undefined> =>
        (await findTextParts(db, [{ teamId: "one", url: `https://e.org/${url}`, start }], size))[0]?.text;
      expect(await read("short", 5)).toBe("ж".repeat(20));
      expect(await read("long", 0)).toBe(`${"a".repeat(10)}\n${"b".repeat(10)}`);
      expect(await read("long", 25)).toBe(`${"a".repeat(10)}\n${"ж".repeat(5)}${"d".repeat(5)}`);
      expect(await read("none", 0)).toBeUndefined();
    }));

  it("names equal texts alike", () =>
    withDatabase(async (db) => {
      await save(
        db,
        documentOf("https://e.org/1", "same"),
        documentOf("https://e.org/2", "same"),
        documentOf("https://e.org/3", "other"),
      );
      const places = ["1", "2", "3"].map((name) => ({ teamId: "one", url: `https://e.org/${name}`, start: 0 }));
      const parts = await findTextParts(db, places, { leadCharacters: 1, maxCharacters: 9 });
      expect(new Set(parts.map(({ contentId }) => contentId)).size).toBe(2);
    }));
});
