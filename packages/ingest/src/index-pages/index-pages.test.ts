import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createFakeEmbedder, type Embedder } from "@quarry/models";
import { openSearchIndex, type PageToIndex, type SearchIndex } from "@quarry/retrieval";
import { countEmbeddingOutbox, countIndexOutbox, deleteDocuments, type Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { extractContent } from "../extract-content.ts";
import { ingestPages } from "../ingest-pages.ts";
import { createSnapshotStore } from "../snapshot-store.ts";
import { memoryBlobStore } from "../testing.ts";
import { embedPages } from "./embed-pages.ts";
import { indexWords, type SetAside } from "./index-words.ts";
import { reconcileIndex } from "./reconcile-index.ts";

const TEAM = "one";
const never = new AbortController().signal;

/** A store, an index that follows it, and a model that counts what it reads. */
interface World {
  readonly database: Database;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly read: string[];
  readonly put: (url: string, text: string) => Promise<void>;
  readonly putAll: (texts: ReadonlyMap<string, string>) => Promise<void>;
  readonly settle: () => Promise<void>;
  readonly find: (words: string) => Promise<readonly string[]>;
}

async function withWorld(work: (world: World) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-indexing-"));
  const fake = createFakeEmbedder();
  const read: string[] = [];
  const embedder: Embedder = {
    ...fake,
    embed: (texts, signal) => {
      read.push(...texts);
      return fake.embed(texts, signal);
    },
  };
  const index = await openSearchIndex({ url: directory, access: "write", embedding: embedder, maintenance: "manual" });
  const snapshots = createSnapshotStore(memoryBlobStore());
  try {
    await withDatabase((database) => {
      const putAll = async (texts: ReadonlyMap<string, string>): Promise<void> => {
        const pages = Array.from(texts, ([url, text]) => {
          return { teamId: TEAM, url, source: "api", fetchedAt: new Date(), content: { kind: "text", text } } as const;
        });
        await ingestPages({ database, snapshots, readPage: (one) => extractContent(one) }, pages);
      };
      return work({
        database,
        index,
        embedder,
        read,
        put: (url, text) => putAll(new Map([[url, text]])),
        putAll,
        settle: async () => {
          while ((await indexWords({ database, index }, never)) > 0);
          while ((await embedPages({ database, index, embedder }, never)).pages > 0);
        },
        find: async (words) =>
          (await index.findByWords({ text: words }, { teamIds: [TEAM] }, { limit: 10 })).map(({ url }) => url),
      });
    });
  } finally {
    await index.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const a = "https://e.org/a";
const b = "https://e.org/b";

describe("indexing", () => {
  verifies("index:truth:outbox", "brings words, then vectors, and leaves nothing queued", () =>
    withWorld(async ({ database, index, embedder, put, settle, find }) => {
      await put(a, "granite is a hard stone");
      await put(b, "bread is baked in an oven");
      expect(await countIndexOutbox(database)).toBe(2);
      await settle();
      expect(await find("granite")).toEqual([a]);
      const [vector = new Float32Array()] = await embedder.embed(["stone of granite"]);
      const [nearest] = await index.findByVector(vector, { teamIds: [TEAM] }, { limit: 1 });
      expect(nearest).toMatchObject({ url: a, chunk: { number: 0, start: 0, end: 23 } });
      expect([await countIndexOutbox(database), await countEmbeddingOutbox(database)]).toEqual([0, 0]);
    }),
  );

  it("sets aside a page that makes the index throw, and goes on with the others", () =>
    withWorld(async ({ database, index, put, putAll, find }) => {
      const urls = Array.from({ length: 50 }, (_, number) => `https://e.org/${number}`);
      await putAll(new Map(urls.map((url, number) => [url, number === 20 ? "poison" : `granite ${number}`])));
      const picky: Pick<SearchIndex, "addPages" | "remove"> = {
        remove: (...given) => index.remove(...given),
        addPages: (pages, signal) => {
          if (pages.some(({ text }) => text === "poison")) throw new RangeError("too much of it");
          return index.addPages(pages, signal);
        },
      };
      const versions = new Set<number>();
      const told: string[] = [];
      const add: SetAside["add"] = ({ url, version }, error) => {
        versions.add(version);
        told.push(`${url}: ${String(error)}`);
      };
      const options = { setAside: { versions, add } };
      while ((await indexWords({ database, index: picky }, never, options)) > 0);
      await put(b, "granite too");
      while ((await indexWords({ database, index: picky }, never, options)) > 0);
      expect(told).toEqual(["https://e.org/20: RangeError: too much of it"]);
      expect(await countIndexOutbox(database)).toBe(1);
      expect(await find("too")).toEqual([b]);
      // where nothing can be added the index is at fault, and no page
      await put(a, "poison");
      await expect(indexWords({ database, index: picky }, never, options)).rejects.toThrow("too much of it");
    }));

  it("reads ahead of the write, takes nothing twice, and keeps what changes meanwhile", () =>
    withWorld(async ({ database, index, putAll, find }) => {
      const urls = Array.from({ length: 1_000 }, (_, number) => `https://e.org/${number}`);
      await putAll(new Map(urls.map((url, number) => [url, number === 0 ? "granite" : `sand ${number}`])));
      const written: string[] = [];
      const whileWriting: Pick<SearchIndex, "addPages" | "remove"> = {
        remove: (...given) => index.remove(...given),
        addPages: async (pages, signal) => {
          if (written.length === 0) await putAll(new Map([[urls[0] ?? "", "basalt instead"]]));
          written.push(...pages.map(({ url }) => url));
          return index.addPages(pages, signal);
        },
      };
      while ((await indexWords({ database, index: whileWriting }, never)) > 0);
      expect(written.toSorted()).toEqual([...urls, urls[0] ?? ""].toSorted());
      expect([await find("granite"), await find("basalt")]).toEqual([[], [urls[0]]]);
      expect([await countIndexOutbox(database), await countEmbeddingOutbox(database)]).toEqual([0, 1_000]);
      expect(await countEmbeddingOutbox(database, ["none", TEAM])).toBe(1_000);
      expect(await countEmbeddingOutbox(database, ["none"])).toBe(0);
    }));

  verifies("index:models:cached-by-chunk-hash", "reads a passage once, however often it comes", () =>
    withWorld(async ({ put, settle, read }) => {
      const long = Array.from(
        { length: 60 },
        (_, number) => `Sentence number ${number} speaks of stones and of water.`,
      );
      await put(a, long.join(" "));
      await settle();
      const passages = read.length;
      expect(passages).toBeGreaterThan(1);
      await put(a, `${long.join(" ")} And one more sentence that comes at the very end of everything.`);
      await settle();
      expect(read.length).toBeLessThan(passages * 2); // what did not change was not read again
      await put(a, long.join(" "));
      await settle();
      expect(new Set(read).size).toBe(read.length);
    }),
  );

  verifies("index:truth:tombstones", "forgets a deleted document, words and vectors, and then its tombstone", () =>
    withWorld(async ({ database, index, put, settle, find }) => {
      await put(a, "granite is a hard stone");
      await settle();
      await database.transaction((tx) => deleteDocuments(tx, TEAM, [a], new Date()));
      const tombstones = "SELECT url FROM documents WHERE deleted_at IS NOT NULL";
      expect(await database.query(tombstones)).toEqual([{ url: a }]);
      await settle();
      expect(await find("granite")).toEqual([]);
      expect(await index.findVersions([{ teamId: TEAM, url: a }])).toEqual([]);
      expect(await database.query(tombstones)).toEqual([]);
      expect(await database.query("SELECT url FROM document_passages")).toEqual([]);
      await put(a, "granite came back");
      await settle();
      expect(await find("granite")).toEqual([a]);
    }),
  );
});

describe("duplicates", () => {
  const [c, text] = ["https://e.org/c", "granite is a hard stone"];
  const nearly = Array.from(
    { length: 60 },
    (_, number) => `word${"abcdefghij".charAt(number % 10)}${"x".repeat(number)}`,
  );

  it("are found in place of a page that was deleted, one of them for all", () =>
    withWorld(async ({ database, put, settle, find }) => {
      for (const url of [a, b, c]) await put(url, text);
      await settle();
      expect(await find("granite")).toEqual([a]);
      await database.transaction((tx) => deleteDocuments(tx, TEAM, [a], new Date()));
      await settle();
      expect(await find("granite")).toEqual([b]);
    }));

  it("are found beside a page that says something else now, and lead what is like them", () =>
    withWorld(async ({ put, settle, find }) => {
      for (const url of [a, b]) await put(url, nearly.join(" "));
      await put(a, "basalt is dark");
      await put(c, [...nearly.slice(0, -1), "ending"].join(" "));
      await settle();
      expect([await find("basalt"), await find("worda")]).toEqual([[a], [b]]);
    }));
});

describe("reconciling", () => {
  const AGREED = { waiting: 0, missing: 0, outdated: 0, ahead: 0, orphaned: 0, withoutVectors: 0 };

  verifies("index:truth:reconciler", "finds every kind of difference, and mends it", () =>
    withWorld(async ({ database, index, embedder, put, settle, find }) => {
      const reconcile = (): Promise<unknown> => reconcileIndex({ database, index, model: embedder.model }, never);
      for (const name of ["kept", "missing", "outdated", "ahead", "unread"]) {
        await put(`https://e.org/${name}`, `a page about ${name} things`);
      }
      await settle();
      expect(await reconcile()).toEqual({ ...AGREED, documents: 5, pages: 5 });

      const [highest] = await index.findVersions([{ teamId: TEAM, url: "https://e.org/unread" }]);
      const version = highest?.version ?? 0;
      await index.remove([{ teamId: TEAM, url: "https://e.org/missing", version: version + 1 }]);
      await put("https://e.org/outdated", "a page about newer things");
      await database.query("DELETE FROM index_outbox");
      const late = await index.findVersions([{ teamId: TEAM, url: "https://e.org/ahead" }]);
      await index.addPages([{ ...pageOf("https://e.org/ahead"), version: (late[0]?.version ?? 0) + 1_000 }]);
      await index.addPages([{ ...pageOf("https://e.org/orphan"), version: 1 }]);
      await database.query("UPDATE document_passages SET model = 'another' WHERE url = 'https://e.org/unread'");

      expect(await reconcile()).toEqual({
        documents: 5,
        waiting: 0,
        pages: 5,
        missing: 1,
        outdated: 1,
        ahead: 1,
        orphaned: 1,
        withoutVectors: 1,
      });
      await settle();
      expect(await reconcile()).toEqual({ ...AGREED, documents: 5, pages: 5 });
      expect(await find("missing")).toEqual(["https://e.org/missing"]);
      expect(await find("newer")).toEqual(["https://e.org/outdated"]);
      expect(await find("orphan")).toEqual([]);
    }),
  );

  it("does not take a change on its way for a difference", () =>
    withWorld(async ({ database, index, embedder, put }) => {
      await put(a, "granite is a hard stone");
      const report = await reconcileIndex({ database, index, model: embedder.model }, never);
      expect(report).toEqual({ ...AGREED, documents: 1, waiting: 1, pages: 0 });
    }));
});

function pageOf(url: string): Omit<PageToIndex, "version"> {
  return {
    ...{
      teamId: TEAM,
      url,
      title: "orphan",
      headings: [],
      text: "orphan",
      language: "en",
      category: null,
      author: null,
    },
    ...{ siteName: null, image: null, favicon: null, publishedAt: null, crawledAt: new Date(), canonicalUrl: null },
  };
}
