import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { cliWorld, serveApi } from "../testing.ts";

const STATS = {
  documents: 12,
  words: 3_400,
  duplicates: 2,
  lastChangedAt: "2026-11-01T10:00:00.000Z",
  sharedDocuments: 469,
  languages: [
    { language: "en", documents: 9 },
    { language: null, documents: 3 },
  ],
  hosts: [{ host: "e.org", documents: 12 }],
  hostCount: 4,
  snapshots: { count: 12, bytes: 40_000 },
  outbox: 1,
  passages: 30,
  vectorOutbox: 5,
  searchIndex: {
    format: "1.1",
    model: "test",
    pages: 20,
    chunks: 31,
    unindexedPages: 20,
    unindexedChunks: 31,
    pageTables: 2,
    diskBytes: 2_048,
    cacheBytes: 1_024,
  },
};

verifies(
  "index:commands:stats",
  "quarry index stats shows documents, passages, languages, sizes and what waits",
  async () => {
    const api = await serveApi(() => ({ body: STATS }));
    const { code, stdout } = await cliWorld().run("index", "stats", "--url", api.url, "--key", "k");
    expect(code).toBe(0);
    for (const part of [
      "12 of your own (2 duplicates), 469 shared",
      "30 compared by meaning",
      "1 by words, 5 by meaning",
      "en 9, unknown 3",
      "20 pages, 31 passages, in 2 tables",
      "and 3 more hosts",
    ]) {
      expect(stdout).toContain(part);
    }
    const json = await cliWorld().run("index", "stats", "--url", api.url, "--key", "k", "--json");
    expect(JSON.parse(json.stdout)).toEqual(STATS);
  },
);
