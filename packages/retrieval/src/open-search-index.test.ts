import { connect } from "@lancedb/lancedb";
import { verifies } from "@quarry/tests";
import { describe, expect, it, onTestFinished } from "vitest";
import { dropSearchIndex, openSearchIndex, type SearchIndexOptions } from "./open-search-index.ts";
import type { SearchIndex } from "./search-index.ts";
import { makeDirectory, makePage, makeVector, openTestIndex } from "./testing.ts";

const team = { teamIds: ["team"] };
const words = (index: SearchIndex, text: string): Promise<readonly string[]> =>
  index.findByWords({ text }, team, { limit: 50 }).then((hits) => hits.map(({ url }) => new URL(url).pathname));

async function openReaderOf(url: string, options: Partial<SearchIndexOptions> = {}): Promise<SearchIndex> {
  const embedding = { model: "test", dimensions: 8 };
  const reader = await openSearchIndex({ url, access: "read", embedding, refreshMs: 3_600_000, ...options });
  onTestFinished(() => reader.close());
  return reader;
}

describe("openSearchIndex", () => {
  it("finds all again after it was closed", async () => {
    const url = makeDirectory();
    const index = await openTestIndex({ url });
    await index.addPages([makePage({ url: "https://x.example/1", text: "sealed" })]);
    await index.optimize({ full: true });
    await index.addPages([makePage({ url: "https://x.example/2", text: "fresh" })]);
    await index.close();
    const again = await openTestIndex({ url });
    expect([await words(again, "sealed"), await words(again, "fresh"), await again.count(team)]).toEqual([
      ["/1"],
      ["/2"],
      2,
    ]);
  });

  verifies("index:format:versioned", "refuses another format and names the command that builds it anew", async () => {
    const url = makeDirectory();
    await (await openTestIndex({ url })).close();
    const connection = await connect(url);
    const catalog = await connection.openTable("catalog");
    await catalog.update({ where: "name = 'format'", values: { json: '{"format":99,"analyser":1}' } });
    connection.close();
    await expect(openTestIndex({ url })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/format 99\.1; this program works with 1\.1\. .*quarry index rebuild/) as string,
    });
    await dropSearchIndex({ url });
    expect(await (await openTestIndex({ url })).count(team)).toBe(0);
  });

  it("drops the vectors of another model, and keeps the words", async () => {
    const url = makeDirectory();
    const index = await openTestIndex({ url });
    await index.addPages([makePage({ text: "apple" })]);
    await index.addChunks([{ ...makePage(), chunks: [{ number: 0, start: 0, end: 1, vector: makeVector(0) }] }]);
    await index.close();
    const other = await openTestIndex({ url, embedding: { model: "other", dimensions: 4 } });
    expect(await words(other, "apple")).toEqual(["/page"]);
    expect(await other.findVersions([makePage()])).toMatchObject([{ version: 1, chunkCount: 0 }]);
    expect((await other.stats()).model).toBe("other");
  });

  it("copies itself while open", async () => {
    const index = await openTestIndex();
    await index.addPages([makePage({ text: "apple" })]);
    const copy = `${makeDirectory()}/copy`;
    await index.snapshot(copy);
    await index.addPages([makePage({ text: "pear", version: 2 })]);
    expect(await words(await openTestIndex({ url: copy }), "apple")).toEqual(["/page"]);
    await expect(index.snapshot(copy)).rejects.toThrow("not empty");
  });
});

describe("a reader", () => {
  it("comes after the first writer, and never writes", async () => {
    const url = makeDirectory();
    await expect(openReaderOf(url)).rejects.toMatchObject({ code: "unavailable", retryable: true });
    await openTestIndex({ url });
    const reader = await openReaderOf(url);
    await expect(reader.addPages([makePage()])).rejects.toMatchObject({ code: "conflict" });
  });

  it("sees writes, updates, removals, sealing and merging", async () => {
    const url = makeDirectory();
    let now = new Date("2026-01-01T00:00:00Z");
    const writer = await openTestIndex({ url, clock: { now: () => now } });
    const reader = await openReaderOf(url);
    const seen = async (): Promise<readonly (readonly string[])[]> => {
      await reader.refresh();
      return [(await words(reader, "apple")).toSorted(), (await words(reader, "pear")).toSorted()];
    };
    const page = (path: string, version: number, text: string) =>
      makePage({ url: `https://x.example/${path}`, version, text });
    await writer.addPages([page("1", 1, "apple"), page("2", 2, "apple")]);
    expect(await seen()).toEqual([["/1", "/2"], []]);
    await writer.optimize({ full: true });
    expect(await seen()).toEqual([["/1", "/2"], []]);
    await writer.addPages([page("1", 3, "pear"), page("3", 4, "apple")]);
    expect(await seen()).toEqual([["/2", "/3"], ["/1"]]);
    await writer.optimize({ full: true });
    await writer.remove([{ teamId: "team", url: "https://x.example/2", version: 9 }]);
    expect(await seen()).toEqual([["/3"], ["/1"]]);
    now = new Date("2026-01-01T00:10:00Z");
    await writer.optimize({ full: true }); // the merged tables are gone for good now
    expect(await words(reader, "apple")).toEqual(["/3"]);
    expect(await seen()).toEqual([["/3"], ["/1"]]);
  });

  it("looks for news by itself", async () => {
    const url = makeDirectory();
    const writer = await openTestIndex({ url });
    const reader = await openReaderOf(url, { refreshMs: 20 });
    await writer.addPages([makePage({ text: "apple" })]);
    await expect.poll(() => words(reader, "apple"), { timeout: 2_000 }).toEqual(["/page"]);
  });
});

describe("maintenance by itself", () => {
  it("seals and merges while pages come, and loses none", async () => {
    const index = await openTestIndex({ maintenance: "automatic", sealTokens: 1_500 });
    const pages = Array.from({ length: 600 }, (_, number) =>
      makePage({
        url: `https://x.example/${number}`,
        version: number + 1,
        text: `apple word${number % 7} ${"filler ".repeat(10)}`,
      }),
    );
    for (let start = 0; start < pages.length; start += 20) await index.addPages(pages.slice(start, start + 20));
    const updated = pages
      .filter((_, number) => number % 5 === 0)
      .map((page) => ({ ...page, version: 1_000, text: "pear" }));
    await index.addPages(updated);
    expect(await index.count(team)).toBe(600);
    await expect.poll(async () => (await index.stats()).pageTables, { timeout: 15_000 }).toBeLessThan(9);
    expect(await index.count(team)).toBe(600);
    expect(await index.findByWords({ text: "pear" }, team, { limit: 500 })).toHaveLength(120);
    expect(await index.findByWords({ text: "apple" }, team, { limit: 500 })).toHaveLength(480);
    await index.optimize({ full: true });
    const { pages: count, pageTables, unindexedPages } = await index.stats();
    expect([count, pageTables, unindexedPages]).toEqual([600, 2, 0]);
  }, 60_000);

  it("comes to rest soon after the last page: one table, little in memory, nothing lost", async () => {
    const index = await openTestIndex({ maintenance: "automatic", sealTokens: 1_500, idleAfterMs: 300 });
    const pages = Array.from({ length: 110 }, (_, number) =>
      makePage({ url: `https://x.example/${number}`, text: `apple word${number} ${"filler ".repeat(10)}` }),
    );
    for (let start = 0; start < pages.length; start += 30) await index.addPages(pages.slice(start, start + 30));
    const atRest = async (): Promise<readonly number[]> => {
      const { pageTables, unindexedPages } = await index.stats();
      return [pageTables, unindexedPages];
    };
    await expect.poll(atRest, { timeout: 15_000 }).toEqual([2, 0]);
    expect(await index.findByWords({ text: "apple" }, team, { limit: 500 })).toHaveLength(110);
  }, 30_000);
});
