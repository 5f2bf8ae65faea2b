import { describe, expect, it } from "vitest";
import { contentsSchema } from "./contents.ts";
import { findSimilarSchema } from "./find-similar.ts";
import { searchSchema, searchTypes } from "./search.ts";

const nulls = Object.fromEntries(
  Object.keys(searchSchema.shape)
    .filter((key) => key !== "query")
    .map((key) => [key, null]),
);

describe("a search body", () => {
  it("takes null for everything that may be left out", () => {
    expect(searchSchema.parse({ query: "q", ...nulls })).toEqual(searchSchema.parse({ query: "q" }));
    expect(
      searchSchema.parse({ query: "q", contents: { text: { maxCharacters: null }, extras: { links: null } } }).contents,
    ).toMatchObject({ text: {}, extras: {} });
  });

  it("keeps its published types", () => {
    expect([...searchTypes].sort()).toEqual([
      "auto",
      "deep",
      "deep-lite",
      "deep-max",
      "deep-reasoning",
      "fast",
      "hybrid",
      "instant",
      "keyword",
      "lite",
      "magic",
      "neural",
    ]);
  });

  it("cuts characters that are too many and passes over what it does not know", () => {
    const body = searchSchema.parse({
      query: "q",
      contents: { text: { maxCharacters: 50_000 } },
      useAutoprompt: true,
      flags: 7,
      effort: "max",
    });
    expect(body.contents?.text).toMatchObject({ maxCharacters: 10_000 });
    expect(body).not.toHaveProperty("flags");
  });

  it.each([
    ["an empty query", { query: "" }],
    ["a query of spaces", { query: " \n\t" }],
    ["a query of another type", { query: 3 }],
    ["a query of a megabyte", { query: "x".repeat(1_000_000) }],
    ["an unknown type", { query: "q", type: "telepathy" }],
    ["1,201 domains", { query: "q", includeDomains: Array.from({ length: 1_201 }, (_, index) => `d${index}.org`) }],
    ["a date that is none", { query: "q", startPublishedDate: "yesterday" }],
    ["a day that is none", { query: "q", endCrawlDate: "2026-02-30" }],
    ["two phrases", { query: "q", includeText: ["one", "two"] }],
    ["a phrase of six words", { query: "q", excludeText: ["one two three four five six"] }],
    ["contents false", { query: "q", contents: false }],
    ["eleven additional queries", { query: "q", additionalQueries: Array.from({ length: 11 }, () => "q") }],
    ["a country of three letters", { query: "q", userLocation: "USA" }],
    ["livecrawl of another kind", { query: "q", contents: { livecrawl: "true" } }],
    ["half a result", { query: "q", numResults: 1.5 }],
    ["another compliance", { query: "q", compliance: "gdpr" }],
    ["an age of a year", { query: "q", contents: { maxAgeHours: 9_000 } }],
  ])("refuses %s", (_, body) => {
    expect(searchSchema.safeParse(body).success).toBe(false);
  });
});

describe("a contents body", () => {
  it("reads results by their id", () => {
    const given = [{ id: "https://e.org/1", score: 1 }, { url: "https://e.org/2" }, "https://e.org/3"];
    expect(contentsSchema.parse({ ids: given }).ids).toEqual(["https://e.org/1", "https://e.org/2", "https://e.org/3"]);
  });

  it.each([
    ["no id at all", { ids: [] }],
    ["101 ids", { ids: Array.from({ length: 101 }, (_, index) => `https://e.org/${index}`) }],
    ["an id of 2,049 characters", { urls: [`https://e.org/${"x".repeat(2_035)}`] }],
    ["an object without id", { ids: [{ title: "x" }] }],
  ])("refuses %s", (_, body) => {
    expect(contentsSchema.safeParse(body).success).toBe(false);
  });
});

it("findSimilar refuses a url of two characters", () => {
  expect(findSimilarSchema.safeParse({ url: "ab" }).success).toBe(false);
  expect(findSimilarSchema.parse({ url: "abc", excludeSourceDomain: null }).excludeSourceDomain).toBe(false);
});
