import { describe, expect, it } from "vitest";
import { searchSchema } from "@quarry/contract";
import { findForRequest } from "./find-for-request.ts";
import { makeWorld, type TestWorld } from "../testing.ts";

const { signal } = new AbortController();

async function find(world: TestWorld, given: Readonly<Record<string, unknown>>) {
  const body = searchSchema.parse(given);
  const { pages, warnings } = await findForRequest(world, { teamIds: ["team"], body }, signal);
  return { urls: pages.map(({ url }) => url), warnings: warnings.map(({ code }) => code) };
}

describe("findForRequest", () => {
  it("warns of few results of a category by what both of its searches found together", async () => {
    const world = await makeWorld();
    const texts = ["Otters swim in rivers.", "Otters fish in rivers.", "Otters rest by rivers."];
    await world.add(texts.map((text, place) => ({ url: `https://arxiv.org/abs/${place}`, text })));
    const body = { query: "otters rivers", type: "keyword", category: "publication" };
    const found = await find(world, body);
    expect([found.urls.length, found.warnings]).toEqual([3, []]);
    expect((await find(world, { ...body, query: "otters that fish" })).urls).toHaveLength(3);
    expect((await find(world, { ...body, query: "badgers" })).warnings).toEqual(["few_results"]);
  });

  it("prefers pages from the time that a query names, and hides no others", async () => {
    const world = await makeWorld();
    const text = "Insulin is made by yeast that carries a human gene.";
    const news = Array.from({ length: 4 }, (_, place) => ({
      url: `https://news.example/${place}`,
      text: `The council of town ${place} meets today to vote on a bridge.`,
      publishedAt: world.now(),
    }));
    await world.add([...news, { url: "https://a.example/insulin", text }]);
    const query = "how is insulin made today";
    for (const type of ["keyword", "auto"]) {
      const body = { query, type, numResults: 3 };
      expect((await find(world, body)).urls[0]).toBe("https://a.example/insulin");
      const dated = await find(world, { ...body, startPublishedDate: "2026-06-01" });
      expect([dated.urls.length, dated.urls.includes("https://a.example/insulin")]).toEqual([3, false]);
    }
    await world.add([
      { url: "https://b.example/old", text: `${text} So it was.`, publishedAt: new Date("2018-01-01") },
      { url: "https://b.example/new", text: `${text} So it is now.`, publishedAt: new Date("2024-01-01") },
    ]);
    const since = { query: "insulin by yeast since 2019", numResults: 3 };
    const urls = ["https://b.example/new", "https://a.example/insulin", "https://b.example/old"];
    expect((await find(world, since)).urls).toEqual(urls);
    expect((await find(world, { ...since, numResults: 1 })).urls).toEqual(urls.slice(0, 1));
  });

  it("finds untagged PDFs of one site", async () => {
    const world = await makeWorld();
    const urls = ["https://a.example/guides/owl.pdf", "https://a.example/owl", "https://b.example/owl.pdf"];
    await world.add(urls.map((url) => ({ url, text: `Owls hunt at night, says ${url}.` })));
    const body = { query: "owls", type: "keyword", category: "pdf" };
    expect((await find(world, { ...body, includeDomains: ["a.example"] })).urls).toEqual([urls[0]]);
    expect((await find(world, { ...body, query: "owls site:a.example" })).urls).toEqual([urls[0]]);
    expect((await find(world, { ...body, includeDomains: ["a.example/guides"] })).urls).toEqual([urls[0]]);
    expect((await find(world, { ...body, includeDomains: ["a.example/other"] })).urls).toEqual([]);
  });
});
