import { expect, it } from "vitest";
import { MAX_PAGE_PRIORITY, pagePriority } from "./page-priority.ts";

const now = new Date("2026-06-01T00:00:00Z");
const rank = (url: string, depth = 1, more: { statedPriority?: number; lastModified?: Date } = {}): number =>
  pagePriority({ url: `https://e.example${url}`, depth, ...more }, now);

it.each<[string, number, number]>([
  ["near before far", rank("/a", 1), rank("/a", 2)],
  ["important before unimportant", rank("/a", 1, { statedPriority: 0.9 }), rank("/a", 1, { statedPriority: 0.1 })],
  ["stated important before unstated", rank("/a", 1, { statedPriority: 0.9 }), rank("/a")],
  [
    "changed of late before long ago",
    rank("/a", 1, { lastModified: new Date("2026-05-30") }),
    rank("/a", 1, { lastModified: new Date("2020-01-01") }),
  ],
  ["plain before parameters", rank("/a"), rank("/a?x=1")],
  ["few parameters before many", rank("/a?x=1"), rank("/a?x=1&y=2&z=3")],
  ["a page before a list of pages", rank("/news/story"), rank("/news/page/37")],
  ["a page before its sorted view", rank("/a?id=1"), rank("/a?sort=up")],
  ["a page before a form", rank("/about"), rank("/login")],
  ["short paths before long ones", rank("/a/b"), rank("/a/b/c/d/e/f/g")],
])("%s", (_name, higher, lower) => {
  expect(higher).toBeGreaterThan(lower);
});

it("stays within its bounds and is a whole number", () => {
  const long = `/${"x/".repeat(500)}?${Array.from({ length: 50 }, (_, index) => `p${index}=1`).join("&")}&sort=1`;
  for (const value of [
    rank(long, 999, { statedPriority: 0 }),
    rank("/", 0, { statedPriority: 1, lastModified: now }),
  ]) {
    expect(Number.isInteger(value)).toBe(true);
    expect(value).toBeGreaterThanOrEqual(0);
    expect(value).toBeLessThanOrEqual(MAX_PAGE_PRIORITY);
  }
});

it("takes a date to come for none", () => {
  expect(rank("/a", 1, { lastModified: new Date("2030-01-01") })).toBe(rank("/a"));
});
