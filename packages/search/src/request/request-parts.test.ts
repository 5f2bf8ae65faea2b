import { describe, expect, it } from "vitest";
import { readAutoDate } from "./auto-date.ts";
import { fitsHint, readCategory } from "./category.ts";
import { contentsOptionsOf } from "./contents-options-of.ts";
import { additionalQueriesOf } from "./search-plan.ts";

const now = new Date("2026-11-15T12:30:00Z"); // a Sunday

describe("readAutoDate", () => {
  it.each([
    ["papers since 2024", "2024-01-01"],
    ["papers after March 2025", "2025-03-01"],
    ["posts published after 2025-02-03", "2025-02-03"],
    ["news from the last week", "2026-11-08"],
    ["changes in the past 3 months", "2026-08-17"],
    ["what happened today", "2026-11-15"],
    ["news of this week", "2026-11-09"],
    ["papers of this year", "2026-01-01"],
    ["the year 2024 in review", undefined],
    ["life after death", undefined],
    ["posts after 2025-99-99", undefined],
  ])("%s", (query, day) => {
    expect(readAutoDate(query, now)?.toISOString().slice(0, 10)).toBe(day);
  });
});

describe("categories", () => {
  it("narrow where they are known, whatever their spelling", () => {
    expect(readCategory("Research Paper")).toEqual(readCategory("publication"));
    expect(readCategory("linkedin_profile")?.sites).toEqual(["linkedin.com/in"]);
    expect(readCategory("constructor")).toBeUndefined();
    expect(readCategory(undefined)).toBeUndefined();
  });

  it("are hints otherwise", () => {
    expect(fitsHint({ category: "Field Notes" }, "field-notes")).toBe(true);
    expect(fitsHint({ category: null }, "field notes")).toBe(false);
  });
});

it("takes other wordings for deep searches alone, few for a light one", () => {
  const queries = ["a", "b", "c"];
  expect(additionalQueriesOf("auto", queries)).toBeUndefined();
  expect(additionalQueriesOf("deep", queries)).toEqual(queries);
  expect(additionalQueriesOf("deep-lite", queries)).toEqual(["a", "b"]);
});

it("reads content options from both places, those under contents first", () => {
  expect(contentsOptionsOf({})).toBeUndefined();
  expect(contentsOptionsOf({ contents: {} })).toEqual({});
  expect(contentsOptionsOf({ text: true, livecrawl: "never", contents: { text: false, maxAgeHours: 1 } })).toEqual({
    text: false,
    livecrawl: "never",
    maxAgeHours: 1,
  });
});
