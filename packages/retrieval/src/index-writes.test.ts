import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeDirectory, makePage, makeVector, openTestIndex } from "./testing.ts";
import type { SearchIndex } from "./search-index.ts";

const team = { teamIds: ["team"] };
/** A word for each page of the random tests. */
const NAMES = ["apple", "pear", "plum", "fig", "quince", "melon", "lemon", "orange", "mango", "cherry"];
const urlOf = (number: number): string => `https://example.com/${number}`;
const chunkOf = (axis: number, lean = 0) => ({ number: 0, start: 0, end: 1, vector: makeVector(axis, lean) });
const found = async (index: SearchIndex, text: string): Promise<readonly string[]> =>
  (await index.findByWords({ text }, { teamIds: ["team", "shared"] }, { limit: 10 })).map(({ url }) => url);

describe("writes", () => {
  verifies(
    ["index:truth:newer-version-wins", "index:exact:updates"],
    "keep the newest version, in memory and in tables",
    async () => {
      const index = await openTestIndex();
      const write = async (version: number, text: string): Promise<string | undefined> =>
        (await index.addPages([makePage({ version, text })]))[0]?.status;
      expect(await write(2, "apple")).toBe("written");
      expect(await write(1, "pear")).toBe("stale");
      expect(await write(2, "pear")).toBe("unchanged");
      await index.optimize({ full: true });
      expect(await write(1, "pear")).toBe("stale");
      expect(await write(2, "pear")).toBe("unchanged");
      expect(await write(3, "plum")).toBe("written");
      expect([await found(index, "apple"), await found(index, "pear")]).toEqual([[], []]);
      expect(await found(index, "plum")).toHaveLength(1);
      await index.optimize({ full: true });
      expect([await found(index, "apple"), await index.count(team)]).toEqual([[], 1]);
    },
  );

  it("take the newest of one page within a batch", async () => {
    const index = await openTestIndex();
    const outcomes = await index.addPages([3, 1, 5, 5].map((version) => makePage({ version, text: `word${version}` })));
    expect(outcomes.map(({ status }) => status)).toEqual(["written", "stale", "written", "unchanged"]);
    expect(await index.findVersions([makePage()])).toMatchObject([{ version: 5 }]);
    await index.optimize({ full: true });
    expect(await index.count(team)).toBe(1);
  });

  verifies("index:exact:deletes", "remove words and vectors, for late writers too", async () => {
    const index = await openTestIndex();
    const page = { teamId: "team", url: urlOf(1) };
    await index.addPages([makePage({ url: urlOf(1), version: 1, text: "apple" })]);
    await index.addChunks([{ ...page, version: 1, chunks: [chunkOf(0)] }]);
    await index.optimize({ full: true });
    expect((await index.remove([{ ...page, version: 3 }]))[0]?.status).toBe("written");
    expect(await found(index, "apple")).toEqual([]);
    expect(await index.findByVector(makeVector(0), team, { limit: 5 })).toEqual([]);
    expect((await index.addPages([makePage({ url: urlOf(1), version: 2, text: "apple" })]))[0]?.status).toBe("stale");
    await index.optimize({ full: true });
    expect((await index.addPages([makePage({ url: urlOf(1), version: 2, text: "apple" })]))[0]?.status).toBe("stale");
    expect((await index.addChunks([{ ...page, version: 1, chunks: [chunkOf(0)] }]))[0]?.status).toBe("stale");
    expect([await found(index, "apple"), await index.count(team), (await index.stats()).chunks]).toEqual([[], 0, 0]);
    expect((await index.addPages([makePage({ url: urlOf(1), version: 4, text: "apple" })]))[0]?.status).toBe("written");
    expect(await found(index, "apple")).toEqual([urlOf(1)]);
  });

  it("forget a removed page's mark after an hour", async () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const index = await openTestIndex({ clock: { now: () => now } });
    await index.remove([{ teamId: "team", url: urlOf(1), version: 5 }]);
    now = new Date("2026-01-01T02:00:00Z");
    await index.optimize({ full: true });
    expect((await index.addPages([makePage({ url: urlOf(1), version: 4 })]))[0]?.status).toBe("written");
  });

  it("drop the vectors of a page that changed, and take those of its new version", async () => {
    const index = await openTestIndex();
    const page = { teamId: "team", url: makePage().url };
    for (const isSealed of [false, true]) {
      const version = isSealed ? 10 : 1;
      await index.addPages([makePage({ version })]);
      if (isSealed) await index.optimize({ full: true });
      await index.addChunks([{ ...page, version, chunks: [chunkOf(0)] }]);
      await index.addPages([makePage({ version: version + 1 })]);
      expect(await index.findByVector(makeVector(0), team, { limit: 5 })).toEqual([]);
      expect((await index.addChunks([{ ...page, version, chunks: [chunkOf(0)] }]))[0]?.status).toBe("stale");
      await index.addChunks([{ ...page, version: version + 1, chunks: [chunkOf(1), { ...chunkOf(2), number: 1 }] }]);
      await index.addChunks([{ ...page, version: version + 1, chunks: [{ ...chunkOf(3), start: 7, end: 9 }] }]);
      const [hit] = await index.findByVector(makeVector(3), team, { limit: 5 });
      expect([hit?.version, hit?.chunk]).toEqual([version + 1, { number: 0, start: 7, end: 9 }]);
      await index.optimize();
      expect(await index.findVersions([page])).toEqual([{ ...page, version: version + 1, chunkCount: 2 }]);
      expect((await index.stats()).chunks).toBe(2);
    }
  });

  verifies("index:exact:duplicates-collapse", "never find a duplicate, only the page it stands for", async () => {
    const index = await openTestIndex();
    await index.addPages([
      makePage({ url: urlOf(1), text: "apple" }),
      makePage({ url: urlOf(2), text: "apple", canonicalUrl: urlOf(1) }),
    ]);
    const duplicate = { teamId: "team", url: urlOf(2), version: 1 };
    expect((await index.addChunks([{ ...duplicate, chunks: [chunkOf(0)] }]))[0]?.status).toBe("stale");
    for (const state of ["memory", "engine"]) {
      expect([state, await found(index, "apple"), await index.count(team)]).toEqual([state, [urlOf(1)], 1]);
      expect(await index.findVersions([duplicate])).toEqual([{ ...duplicate, chunkCount: 0 }]);
      await index.optimize({ full: true });
    }
  });

  verifies(
    ["index:teams:same-url-twice", "index:teams:shared"],
    "keep the same URL of two teams apart, and prefer a team's own to the shared one",
    async () => {
      const index = await openTestIndex();
      await index.addPages([
        makePage({ teamId: "shared", url: urlOf(1), text: "apple apple apple" }),
        makePage({ teamId: "team", url: urlOf(1), text: "apple with cream" }),
        makePage({ teamId: "other", url: urlOf(1), text: "apple of somebody else" }),
        makePage({ teamId: "shared", url: urlOf(2), text: "apple pie" }),
      ]);
      const teams = async (teamIds: readonly string[]): Promise<readonly string[]> =>
        (await index.findByWords({ text: "apple" }, { teamIds }, { limit: 10 }))
          .map((hit) => `${hit.teamId} ${hit.url}`)
          .sort();
      for (const state of ["memory", "engine"]) {
        expect([state, await teams(["team", "shared"])]).toEqual([state, [`shared ${urlOf(2)}`, `team ${urlOf(1)}`]]);
        expect(await teams(["stranger", "shared"])).toEqual([`shared ${urlOf(1)}`, `shared ${urlOf(2)}`]);
        expect(await teams(["stranger"])).toEqual([]);
        await index.optimize({ full: true });
      }
    },
  );

  it("write a table anew that many pages have left", async () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const index = await openTestIndex({ clock: { now: () => now } });
    const pages = Array.from({ length: 100 }, (_, number) => makePage({ url: urlOf(number), text: "apple" }));
    await index.addPages(pages);
    await index.optimize({ full: true });
    await index.remove(pages.slice(0, 30).map((page) => ({ ...page, version: 2 })));
    expect((await index.optimize()).mergedTables).toBe(1);
    for (const minutes of [5, 10, 15]) {
      now = new Date(Date.UTC(2026, 0, 1, 0, minutes));
      await index.optimize();
    }
    expect(await index.findByWords({ text: "apple" }, team, { limit: 200 })).toHaveLength(70);
    expect([await index.count(team), (await index.stats()).pageTables]).toEqual([70, 2]);
  });

  it("refuse what makes no sense", async () => {
    const index = await openTestIndex();
    await expect(index.addPages([makePage({ version: 1.5 })])).rejects.toThrow("versions are whole numbers");
    await index.addPages([makePage()]);
    const chunks = [{ ...chunkOf(0), vector: new Float32Array(3) }];
    await expect(index.addChunks([{ ...makePage(), chunks }])).rejects.toThrow("has 3 numbers; the index holds 8");
    const bad = new Float32Array(8).fill(Number.NaN);
    await expect(index.findByVector(bad, team, { limit: 1 })).rejects.toThrow("not finite");
    await expect(index.findByWords({ text: "x" }, team, { limit: 0 })).rejects.toThrow("ask for 1 to 1000 hits");
  });
});

describe("any order of writes, optimisations and restarts", () => {
  const number = fc.integer({ min: 0, max: 9 });
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("add" as const),
        pages: fc.array(fc.record({ number, bump: fc.integer({ min: -2, max: 3 }) }), { minLength: 1, maxLength: 6 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("remove" as const), number, bump: fc.integer({ min: -1, max: 2 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("chunks" as const), number, bump: fc.integer({ min: -1, max: 0 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("optimize" as const), full: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ kind: "reopen" as const }) },
  );

  it("leaves what a plain map would hold", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const url = makeDirectory();
        let index = await openTestIndex({ url });
        /** Newest version of each page, and of its vector; removed pages keep their version. */
        const model = new Map<number, { version: number; isRemoved: boolean; chunkVersion: number | undefined }>();
        const versionOf = (page: number): number => model.get(page)?.version ?? 5;
        for (const one of steps) {
          if (one.kind === "add") {
            const pages = one.pages.map(({ number: page, bump }) => ({ page, version: versionOf(page) + bump }));
            await index.addPages(
              pages.map(({ page, version }) => makePage({ url: urlOf(page), version, text: NAMES[page] ?? "" })),
            );
            for (const { page, version } of pages) {
              const known = model.get(page);
              if (known === undefined || version > known.version) {
                model.set(page, { version, isRemoved: false, chunkVersion: undefined });
              }
            }
          } else if (one.kind === "remove") {
            const version = versionOf(one.number) + one.bump;
            await index.remove([{ teamId: "team", url: urlOf(one.number), version }]);
            const known = model.get(one.number);
            if (known === undefined || version > known.version) {
              model.set(one.number, { version, isRemoved: true, chunkVersion: undefined });
            }
          } else if (one.kind === "chunks") {
            const version = versionOf(one.number) + one.bump;
            await index.addChunks([
              { teamId: "team", url: urlOf(one.number), version, chunks: [chunkOf(one.number, 0.3)] },
            ]);
            const known = model.get(one.number);
            if (known !== undefined && known.version === version && !known.isRemoved) known.chunkVersion = version;
          } else if (one.kind === "optimize") {
            await index.optimize({ full: one.full });
          } else {
            await index.close();
            index = await openTestIndex({ url });
          }
        }
        const live = [...model].filter(([, { isRemoved }]) => !isRemoved).sort(([a], [b]) => a - b);
        const listed = [];
        for (let after: string | null = ""; after !== null;) {
          const part = await index.listVersions({ after, limit: 3 });
          listed.push(...part.versions);
          after = part.next;
        }
        expect(listed.map(({ url: one, version, chunkCount }) => [one, version, chunkCount]).sort()).toEqual(
          live.map(([page, { version, chunkVersion }]) => [urlOf(page), version, chunkVersion === undefined ? 0 : 1]),
        );
        expect(await index.count(team)).toBe(live.length);
        for (const [page, { version, isRemoved }] of model) {
          const hits = await index.findByWords({ text: NAMES[page] ?? "" }, team, { limit: 3 });
          expect(hits.map((hit) => hit.version)).toEqual(isRemoved ? [] : [version]);
        }
        const near = await index.findByVector(makeVector(0, 0.3), team, { limit: 20 });
        expect(near.map((hit) => [hit.url, hit.version]).sort()).toEqual(
          live.flatMap(([page, { chunkVersion }]) => (chunkVersion === undefined ? [] : [[urlOf(page), chunkVersion]])),
        );
        await index.close();
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
