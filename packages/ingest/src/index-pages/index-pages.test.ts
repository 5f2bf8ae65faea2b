import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createFakeEmbedder, type Embedder } from "@quarry/models";
import { openSearchIndex, type SearchIndex } from "@quarry/retrieval";
import { countEmbeddingOutbox, countIndexOutbox, type Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { describe, expect, it } from "vitest";
import { extractContent } from "../extract-content.ts";
import { ingestPages } from "../ingest-pages.ts";
import { createSnapshotStore } from "../snapshot-store.ts";
import { memoryBlobStore } from "../testing.ts";
import { embedPages } from "./embed-pages.ts";
import { indexWords } from "./index-words.ts";

const TEAM = "one";
const never = new AbortController().signal;

/** A store, an index that follows it, and a model that counts what it reads. */
interface World {
  readonly database: Database;
  readonly index: SearchIndex;
  readonly embedder: Embedder;
  readonly read: string[];
  readonly put: (url: string, text: string) => Promise<void>;
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
    await withDatabase((database) =>
      work({
        database,
        index,
        embedder,
        read,
        put: async (url, text) => {
          const page = {
            teamId: TEAM,
            url,
            source: "api",
            fetchedAt: new Date(),
            content: { kind: "text", text },
          } as const;
          await ingestPages({ database, snapshots, readPage: (one) => extractContent(one) }, [page]);
        },
        settle: async () => {
          while ((await indexWords({ database, index }, never)) > 0);
          while ((await embedPages({ database, index, embedder }, never)).pages > 0);
        },
        find: async (words) =>
          (await index.findByWords({ text: words }, { teamIds: [TEAM] }, { limit: 10 })).map(({ url }) => url),
      }),
    );
  } finally {
    await index.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const a = "https://e.org/a";
const b = "https://e.org/b";

describe("indexing", () => {
  it("brings words, then vectors, and leaves nothing queued", () =>
    withWorld(async ({ database, index, embedder, put, settle, find }) => {
      await put(a, "granite is a hard stone");
      await put(b, "bread is baked in an oven");
      await settle();
      expect(await find("granite")).toEqual([a]);
      const [vector = new Float32Array()] = await embedder.embed(["stone of granite"]);
      const [nearest] = await index.findByVector(vector, { teamIds: [TEAM] }, { limit: 1 });
      expect(nearest).toMatchObject({ url: a, chunk: { number: 0, start: 0, end: 23 } });
      expect([await countIndexOutbox(database), await countEmbeddingOutbox(database)]).toEqual([0, 0]);
    }));
});
