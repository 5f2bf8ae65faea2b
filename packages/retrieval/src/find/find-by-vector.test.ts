import { verifies } from "@quarry/tests";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { IndexFilter } from "../filter/index-filter.ts";
import type { PageToIndex } from "../pages/page-row.ts";
import type { PageChunks } from "../search-index.ts";
import { MemoryChunks } from "../tables/memory-chunks.ts";
import { makeDirectory, makePage, makeVector, openTestIndex, TEST_DIMENSIONS } from "../testing.ts";
import { planVectorSearch } from "./plan-vector-search.ts";

const team = { teamIds: ["team"] };

describe("findByVector", () => {
  verifies("index:vectors:chunks", "ranks a page by its nearest chunk, and shows which", async () => {
    const index = await openTestIndex();
    const pages = ["a", "b"].map((path) => makePage({ url: `https://example.com/${path}` }));
    await index.addPages(pages);
    const chunk = (number: number, axis: number) => ({
      number,
      start: number * 10,
      end: number * 10 + 9,
      vector: makeVector(axis),
    });
    await index.addChunks([
      { ...makePage(pages[0]), chunks: [chunk(0, 3), chunk(1, 0), chunk(2, 4)] },
      { ...makePage(pages[1]), chunks: [chunk(0, 1), chunk(1, 5)] },
    ]);
    const hits = await index.findByVector(makeVector(0, 0.6), team, { limit: 5 });
    expect(hits.map(({ url, score, chunk: nearest }) => [url, Math.round(score * 100) / 100, nearest])).toEqual([
      ["https://example.com/a", 0.8, { number: 1, start: 10, end: 19 }],
      ["https://example.com/b", 0.6, { number: 0, start: 0, end: 9 }],
    ]);
  });

  it("keeps a team's chunks to itself, those that came since the last count too", async () => {
    const index = await openTestIndex({ memoryChunks: 0 });
    const add = async (teamId: string, path: string): Promise<void> => {
      const page = makePage({ teamId, url: `https://example.com/${path}` });
      await index.addPages([page]);
      await index.addChunks([{ ...page, chunks: [{ number: 0, start: 0, end: 1, vector: makeVector(0) }] }]);
    };
    const asTeam = async (teamId: string): Promise<readonly string[]> =>
      (await index.findByVector(makeVector(0), { teamIds: [teamId] }, { limit: 5 })).map(({ url }) => url);
    await add("team", "own");
    expect([await asTeam("team"), await asTeam("other")]).toEqual([["https://example.com/own"], []]);
    await add("other", "theirs");
    expect(await asTeam("team")).toEqual(["https://example.com/own"]);
  });

  it("asks again when the nearest chunks are all of one page", async () => {
    const index = await openTestIndex();
    const [long, short] = ["long", "short"].map((path) => makePage({ url: `https://example.com/${path}` }));
    await index.addPages([makePage(long), makePage(short)]);
    const chunks = Array.from({ length: 450 }, (_, number) => ({
      number,
      start: number,
      end: number + 1,
      vector: makeVector(0),
    }));
    await index.addChunks([
      { ...makePage(long), chunks },
      { ...makePage(short), chunks: [{ number: 0, start: 0, end: 1, vector: makeVector(0, 0.9) }] },
    ]);
    const hits = await index.findByVector(makeVector(0), team, { limit: 10 });
    expect(hits.map(({ url }) => url)).toEqual(["https://example.com/long", "https://example.com/short"]);
  });

  verifies(
    "promises:t28:brute-force-equal",
    "finds what comparing every chunk finds, by the engine and in memory, after changes too",
    async () => {
      const url = makeDirectory();
      const writer = await openTestIndex({ url, memoryChunks: 0 });
      const reader = await openTestIndex({ url, access: "read", refreshMs: 60_000 });
      const inMemory = vi.spyOn(MemoryChunks.prototype, "findNearest");
      const clock = vi.spyOn(performance, "now");
      onTestFinished(() => void vi.restoreAllMocks());
      const random = makeRandom(3);
      const pages = Array.from({ length: 120 }, (_, number) =>
        makePage({ teamId: number % 5 === 0 ? "other" : "team", url: `https://s${number % 7}.example/${number % 90}` }),
      );
      const withChunks = (page: PageToIndex): PageWithChunks => ({
        ...page,
        chunks: Array.from({ length: 1 + Math.floor(random() * 6) }, (_, number) => ({
          number,
          start: number * 10,
          end: number * 10 + 10,
          vector: randomVector(random, TEST_DIMENSIONS),
        })),
      });
      let truth = pages.map(withChunks);
      await writer.addPages(pages);
      await writer.addChunks(truth);
      const named = new Set(pages.slice(10, 30).map((page) => page.url));
      const filters: readonly (readonly [IndexFilter, (page: PageToIndex) => boolean])[] = [
        [{ teamIds: ["team", "other"] }, () => true],
        [{ teamIds: ["team"], includeDomains: ["s2.example"] }, (page) => isOf(page, "team") && /s2\./.test(page.url)],
        [{ teamIds: ["team", "other"], includeUrls: [...named] }, (page) => named.has(page.url)],
        [{ teamIds: ["other"], excludeUrls: [...named] }, (page) => isOf(page, "other") && !named.has(page.url)],
      ];
      const compare = async (): Promise<void> => {
        await reader.refresh();
        for (const [filter, passes] of filters) {
          const query = randomVector(random, TEST_DIMENSIONS);
          const expected = nearestByHand(query, truth.filter(passes), filter.teamIds);
          for (const index of [writer, reader]) {
            const hits = await index.findByVector(query, filter, { limit: 15 });
            expect(
              hits.map((hit) => [hit.teamId, hit.url, hit.version, hit.chunk.number, hit.score.toFixed(4)]),
            ).toEqual(expected);
          }
        }
      };
      await compare(); // by the engine, until memory is at rest
      let laterMs = performance.now() + 10_000;
      clock.mockImplementation(() => laterMs);
      await vi.waitFor(async () => {
        await reader.refresh();
        await reader.findByVector(randomVector(random, TEST_DIMENSIONS), { teamIds: ["team"] }, { limit: 1 });
        expect(inMemory).toHaveBeenCalled();
      });
      await compare();
      const changed = pages.slice(0, 10).map((page) => withChunks({ ...page, version: 2 }));
      await writer.addPages(changed);
      await writer.addChunks(changed);
      await writer.remove(pages.slice(20, 30).map((page) => ({ ...page, version: 2 })));
      truth = [...changed, ...truth.slice(10, 20), ...truth.slice(30)];
      const calls = inMemory.mock.calls.length;
      await compare();
      expect(inMemory).toHaveBeenCalledTimes(calls); // memory is behind, and says nothing
      laterMs += 10_000;
      await vi.waitFor(async () => {
        await reader.refresh();
        await reader.findByVector(randomVector(random, TEST_DIMENSIONS), { teamIds: ["team"] }, { limit: 1 });
        expect(inMemory.mock.calls.length).toBeGreaterThan(calls);
      });
      await compare();
    },
  );

  verifies(
    ["index:filters:vector-recall", "promises:t28:ann-recall"],
    "finds nearly all of the nearest under any filter",
    async () => {
      const dimensions = 48;
      const random = makeRandom(7);
      const centres = Array.from({ length: 60 }, () => randomVector(random, dimensions));
      const vectorNear = (): Float32Array => {
        const centre = centres[Math.floor(random() * centres.length)] ?? new Float32Array(dimensions);
        const noise = randomVector(random, dimensions);
        return toUnit(centre.map((value, axis) => value + 0.9 * (noise[axis] ?? 0)));
      };
      const pages = Array.from({ length: 6_000 }, (_, number): PageToIndex => {
        const site = Math.floor(random() * random() * 120);
        const publishedAt = new Date(Date.UTC(2020, 0, 1 + Math.floor(random() * 2_000)));
        return makePage({ url: `https://s${site}.example/${number}`, publishedAt });
      });
      const vectors = pages.map(vectorNear);
      const index = await openTestIndex({ embedding: { model: "test", dimensions }, memoryChunks: 0 });
      await index.addPages(pages);
      await index.addChunks(
        pages.map((page, number) => ({
          ...page,
          chunks: [{ number: 0, start: 0, end: 1, vector: vectors[number] ?? fail() }],
        })),
      );
      await index.optimize();
      expect((await index.stats()).unindexedChunks).toBe(0);
      const late = new Date(Date.UTC(2025, 0, 1));
      const filters: readonly (readonly [string, IndexFilter, (page: PageToIndex) => boolean])[] = [
        ["none", team, () => true],
        ["one rare domain", { ...team, includeDomains: ["s90.example"] }, ({ url }) => url.includes("//s90.")],
        ["one common domain", { ...team, includeDomains: ["s1.example"] }, ({ url }) => url.includes("//s1.")],
        ["recent", { ...team, publishedFrom: late }, ({ publishedAt }) => (publishedAt ?? late) >= late],
        [
          "half",
          { ...team, publishedFrom: new Date(Date.UTC(2022, 8, 1)) },
          ({ publishedAt }) => (publishedAt ?? late) >= new Date(Date.UTC(2022, 8, 1)),
        ],
      ];
      const recalls = [];
      for (const [name, filter, passes] of filters) {
        let [right, all] = [0, 0];
        for (let round = 0; round < 25; round += 1) {
          const query = vectorNear();
          const truth = exactNearest(query, vectors, pages, passes);
          const hits = await index.findByVector(query, filter, { limit: 10 });
          right += hits.filter(({ url }) => truth.has(url)).length;
          all += truth.size;
        }
        recalls.push([name, right / all] as const);
      }
      expect(recalls.filter(([, recall]) => recall < 0.98)).toEqual([]);
    },
    120_000,
  );
});

describe("planVectorSearch", () => {
  const size = { chunks: 100_000, matching: 100_000, partitions: 316, limit: 20 };

  it.each([
    ["nothing is filtered out", {}, { kind: "probe", partitions: 127, refineFactor: 3 }],
    ["half passes", { matching: 50_000 }, { kind: "probe", partitions: 254, refineFactor: 3 }],
    ["a tenth passes", { matching: 10_000 }, { kind: "probe", partitions: 316, refineFactor: 3 }],
    ["many are wanted", { limit: 200 }, { kind: "probe", partitions: 127, refineFactor: 1 }],
    [
      "there are few",
      { chunks: 30_000, matching: 30_000, partitions: 173 },
      { kind: "probe", partitions: 173, refineFactor: 3 },
    ],
    [
      "there are millions",
      { chunks: 4e6, matching: 4e6, partitions: 2_000 },
      { kind: "probe", partitions: 20, refineFactor: 3 },
    ],
    ["a hundredth passes", { matching: 1_500 }, { kind: "exact" }],
    ["there is no index", { partitions: 0 }, { kind: "exact" }],
    ["few are wanted", { limit: 5 }, { kind: "probe", partitions: 127, refineFactor: 12 }],
  ] as const)("when %s", (_, change, plan) => {
    expect(planVectorSearch({ ...size, ...change })).toEqual(plan);
  });
});

type PageWithChunks = PageToIndex & PageChunks;

function isOf({ teamId }: PageToIndex, wanted: string): boolean {
  return teamId === wanted;
}

/** The 15 nearest pages by comparing every chunk; of one URL in two teams the first team's. */
function nearestByHand(
  query: Float32Array,
  pages: readonly PageWithChunks[],
  teamIds: readonly string[],
): readonly (readonly (string | number)[])[] {
  const scored = pages
    .filter(
      ({ teamId, url }) =>
        !pages.some((other) => other.url === url && teamIds.indexOf(other.teamId) < teamIds.indexOf(teamId)),
    )
    .map((page) => {
      const scores = page.chunks.map(({ vector }) =>
        query.reduce((sum, value, axis) => sum + value * (vector[axis] ?? 0), 0),
      );
      const score = Math.max(...scores);
      return { page, score, number: scores.indexOf(score) };
    });
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, 15)
    .map(({ page, score, number }) => [page.teamId, page.url, page.version, number, score.toFixed(4)]);
}

function exactNearest(
  query: Float32Array,
  vectors: readonly Float32Array[],
  pages: readonly PageToIndex[],
  passes: (page: PageToIndex) => boolean,
): ReadonlySet<string> {
  const scored = pages.flatMap((page, number) => {
    if (!passes(page)) return [];
    const score = query.reduce((sum, value, axis) => sum + value * (vectors[number]?.[axis] ?? 0), 0);
    return [{ url: page.url, score }];
  });
  return new Set(
    scored
      .sort((one, other) => other.score - one.score)
      .slice(0, 10)
      .map(({ url }) => url),
  );
}

function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomVector(random: () => number, dimensions: number): Float32Array {
  return toUnit(Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5));
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function fail(): never {
  throw new Error("as many vectors as pages");
}
