import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  countIndexOutbox,
  deleteDocuments,
  findDocument,
  findPassageVectors,
  getExtractedText,
  hashPassage,
  SHARED_TEAM,
  type Database,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { describe, expect, it } from "vitest";
import { extractContent } from "../extract-content.ts";
import { ingestPages } from "../ingest-pages.ts";
import { unpackOffsets } from "../pack-offsets.ts";
import { createSnapshotStore } from "../snapshot-store.ts";
import { memoryBlobStore } from "../testing.ts";
import { loadSample, toPageToIngest, type LoadSampleDeps } from "./load-sample.ts";
import type { SamplePage, SampleReading } from "./sample-files.ts";
import { packReading } from "./sample-reading.ts";
import { writeTinySample } from "./testing-sample.ts";

const now = new Date("2026-05-01T00:00:00Z");
const never = new AbortController().signal;

const page = (number: number): SamplePage => ({
  url: `https://example.com/${number}`,
  licence: "CC0-1.0",
  title: `Page ${number}`,
  text: `The text of page ${number}, which is about ${"abcdefghij".charAt(number % 10).repeat(number + 3)} and no other.`,
});

const HTML =
  "<html><head><title>Notes</title></head><body><h1>Notes</h1><p>The engine weaves algebraic patterns.</p></body></html>";

const pages: readonly SamplePage[] = [
  {
    url: "https://example.com/dated",
    licence: "MIT",
    author: "Ada Lovelace",
    publishedDate: "1843-09-01T00:00:00.000Z",
    category: "news",
    html: HTML,
    reading: await readingOf("https://example.com/dated", HTML),
  },
  ...Array.from({ length: 90 }, (_, number) => page(number)),
];

async function readingOf(url: string, html: string): Promise<SampleReading> {
  const content = { kind: "bytes", bytes: Buffer.from(html), contentType: "text/html" } as const;
  const outcome = await extractContent({ url, content, now });
  if (outcome.kind === "unreadable") throw outcome.error;
  return packReading(outcome.reading);
}

/** Runs `work` on an empty store and a sample of 91 pages. */
function withSample(work: (deps: LoadSampleDeps, directory: string) => Promise<void>): Promise<void> {
  return withDatabase(async (database) => {
    const directory = await mkdtemp(path.join(tmpdir(), "quarry-sample-"));
    try {
      await writeTinySample(directory, pages);
      await work(depsOn(database), directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

function depsOn(database: Database): LoadSampleDeps {
  return {
    database,
    snapshots: createSnapshotStore(memoryBlobStore()),
    now: () => now,
    wish: "by-itself",
  };
}

describe("loadSample", () => {
  it("gives an empty store the pages as shared documents, with facts, vectors and a note to the index", () =>
    withSample(async (deps, directory) => {
      const urls = pages.map(({ url }) => url);
      expect(await loadSample(deps, directory, never)).toEqual({ kind: "loaded", urls, vectors: 1 });
      expect(await countIndexOutbox(deps.database)).toBe(91);
      const document = await findDocument(deps.database, ["another team", SHARED_TEAM], "https://example.com/dated");
      expect(document).toMatchObject({
        teamId: SHARED_TEAM,
        source: "sample",
        title: "Notes",
        author: "Ada Lovelace",
        publishedAt: new Date("1843-09-01T00:00:00Z"),
        category: "news",
        crawledAt: new Date("2026-01-01T00:00:00Z"),
      });
      const { snapshotId = "", extractorVersion = "" } = document ?? {};
      const stored = await getExtractedText(deps.database, snapshotId, extractorVersion);
      expect(stored?.text).toContain("weaves algebraic patterns");
      const [, , start = 0, length = 0] = unpackOffsets(stored?.sourceMap ?? new Uint8Array());
      expect(HTML.slice(start, start + length)).toBe("The engine weaves algebraic patterns.");
      const vectors = await findPassageVectors(deps.database, "tiny/1", [hashPassage("a passage")]);
      expect(vectors.size).toBe(1);
    }));

  it("does nothing the second time, and lets what was deleted stay deleted", () =>
    withSample(async (deps, directory) => {
      await loadSample(deps, directory, never);
      await deps.database.transaction((tx) => deleteDocuments(tx, SHARED_TEAM, ["https://example.com/1"], now));
      expect(await loadSample(deps, directory, never)).toEqual({ kind: "not-needed" });
      expect(await findDocument(deps.database, [SHARED_TEAM], "https://example.com/1")).toBeUndefined();
    }));

  it("goes on where it was stopped, and brings back nothing that was deleted meanwhile", () =>
    withSample(async (deps, directory) => {
      const stop = new AbortController();
      let kept = 0;
      const dying: LoadSampleDeps = {
        ...deps,
        snapshots: {
          ...deps.snapshots,
          put: (bytes) => {
            kept += 1;
            if (kept === 60) stop.abort(new Error("killed"));
            return deps.snapshots.put(bytes);
          },
        },
      };
      await expect(loadSample(dying, directory, stop.signal)).rejects.toThrow("killed");
      const had = await countIndexOutbox(deps.database);
      expect(had).toBe(40); // one batch of three
      await deps.database.transaction((tx) => deleteDocuments(tx, SHARED_TEAM, ["https://example.com/dated"], now));
      const urls = pages.slice(40).map(({ url }) => url);
      expect(await loadSample(deps, directory, never)).toEqual({ kind: "loaded", urls, vectors: 1 });
      expect(await findDocument(deps.database, [SHARED_TEAM], "https://example.com/dated")).toBeUndefined();
      expect(await loadSample(deps, directory, never)).toEqual({ kind: "not-needed" });
    }));

  it("leaves a store alone that has had documents, until it is asked for", () =>
    withSample(async (deps, directory) => {
      await ingestPages({ ...deps, readPage: (input) => extractContent(input) }, [
        { ...toPageToIngest(page(1), now), teamId: "team_1" },
      ]);
      expect(await loadSample(deps, directory, never)).toEqual({ kind: "not-needed" });
      expect(await countIndexOutbox(deps.database)).toBe(1);
      const asked = await loadSample({ ...deps, wish: "asked-for" }, directory, never);
      expect(asked).toMatchObject({ kind: "loaded", urls: pages.map(({ url }) => url) }); // team_1's page is another's
      expect(await loadSample({ ...deps, wish: "asked-for" }, directory, never)).toEqual({ kind: "not-needed" });
    }));

  it("says what to do about a sample that cannot be read", () =>
    withSample(async (deps, directory) => {
      await writeFile(path.join(directory, "manifest.json"), '{"format": 2}');
      await expect(loadSample(deps, directory, never)).rejects.toThrow("set QUARRY_SAMPLE=0");
      await rm(path.join(directory, "manifest.json"));
      await expect(loadSample(deps, directory, never)).rejects.toThrow("set QUARRY_SAMPLE=0");
    }));
});
