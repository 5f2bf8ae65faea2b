import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { SearchIndex } from "../search-index.ts";
import { makePage, makeVector, openTestIndex } from "../testing.ts";
import { RowMemory } from "./row-memory.ts";

const team = { teamIds: ["team"] };
const pages = Array.from({ length: 30 }, (_, number) =>
  makePage({
    url: `https://example.com/${number}`,
    title: `Quartz ${number}`,
    text: "quartz ".repeat(1 + (number % 7)),
  }),
);

/** Searches until memory answers; returns what the first search found and what memory did. */
async function inBothWays<Hit>(search: () => Promise<readonly Hit[]>): Promise<readonly (readonly Hit[])[]> {
  const find = vi.spyOn(RowMemory.prototype, "find");
  onTestFinished(() => find.mockRestore());
  const byEngine = await search();
  const isFound = async (): Promise<boolean> => {
    find.mockClear();
    await search();
    return find.mock.results.some(({ value }) => value !== undefined);
  };
  await expect.poll(isFound, { timeout: 5_000 }).toBe(true);
  return [byEngine, await search()];
}

const byWords = (index: SearchIndex) => () => index.findByWords({ text: "quartz" }, team, { limit: 50 });
const byVector = (index: SearchIndex) => () => index.findByVector(makeVector(0), team, { limit: 50 });

describe("RowMemory", () => {
  it("shows of pages what the engine would, after some have left and the table was compacted", async () => {
    const index = await openTestIndex();
    await index.addPages(pages);
    await index.optimize({ full: true });
    const [byEngine, fromMemory] = await inBothWays(byWords(index));
    expect(fromMemory).toEqual(byEngine);
    const left = pages.slice(0, 10).map(({ teamId, url, version }) => ({ teamId, url, version: version + 1 }));
    await index.remove(left);
    await index.optimize({ full: true });
    const [, after] = await inBothWays(byWords(index));
    const shown = after?.map(({ url, title }) => `${url} ${title ?? ""}`).sort();
    expect(shown).toEqual(
      pages
        .slice(10)
        .map(({ url, title }) => `${url} ${title ?? ""}`)
        .sort(),
    );
  });

  it("shows of chunks what the engine would, and leaves those that came later to it", async () => {
    const index = await openTestIndex({ memoryChunks: 0 });
    await index.addPages(pages);
    const chunksOf = (from: number, to: number) =>
      pages.slice(from, to).map((page, place) => ({
        ...page,
        chunks: [{ number: 3, start: place, end: place + 5, vector: makeVector(0, (from + place) / 40) }],
      }));
    await index.addChunks(chunksOf(0, 20));
    const [byEngine, fromMemory] = await inBothWays(byVector(index));
    expect([fromMemory, byEngine?.length]).toEqual([byEngine, 20]);
    await index.addChunks(chunksOf(20, 30));
    expect(new Set((await byVector(index)()).map(({ url }) => url))).toEqual(new Set(pages.map(({ url }) => url)));
  });
});
