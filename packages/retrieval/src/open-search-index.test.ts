import { describe, expect, it } from "vitest";
import { makeDirectory, makePage, makeVector, openTestIndex } from "./testing.ts";

const team = { teamIds: ["team"] };

describe("words", () => {
  it("finds a page at once, and after sealing", async () => {
    const index = await openTestIndex();
    await index.addPages([
      makePage({ url: "https://a.example/1", title: "Running shoes", text: "Shoes for people who run." }),
      makePage({ url: "https://a.example/2", title: "Cooking", text: "Pans and pots." }),
    ]);
    const before = await index.findByWords({ text: "runner shoe" }, team, { limit: 10, explain: true });
    expect(before.map(({ url }) => url)).toEqual(["https://a.example/1"]);
    const report = await index.optimize({ full: true });
    expect(report.sealedTables).toBe(1);
    const after = await index.findByWords({ text: "runner shoe" }, team, { limit: 10, explain: true });
    expect(after.map(({ url }) => url)).toEqual(["https://a.example/1"]);
    expect(after[0]?.score).toBeCloseTo(before[0]?.score ?? 0, 4);
    console.log(JSON.stringify(after), await index.stats());
  });

  it("vectors", async () => {
    const url = makeDirectory();
    const index = await openTestIndex({ url });
    await index.addPages([makePage({ url: "https://a.example/1" }), makePage({ url: "https://a.example/2" })]);
    const chunk = (axis: number) => ({ number: 0, start: 0, end: 5, vector: makeVector(axis) });
    console.log(
      await index.addChunks([
        { teamId: "team", url: "https://a.example/1", version: 1, chunks: [chunk(0)] },
        { teamId: "team", url: "https://a.example/2", version: 1, chunks: [chunk(1)] },
      ]),
    );
    console.log(await index.findByVector(makeVector(0, 0.5), team, { limit: 3 }));
    await index.close();
    const again = await openTestIndex({ url });
    console.log(
      await again.count(team),
      await again.listVersions({ limit: 1 }),
      await again.findVersions([{ teamId: "team", url: "https://a.example/2" }]),
    );
  });
});
