import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { nextOfSearch } from "./next-of-search.ts";
import { candidateLimit, progressOf, successRate } from "./search-progress.ts";

const RUNNING = {
  status: "running",
  plan: [{}, {}],
  step: 1,
  candidates: 10,
  analyzed: 5,
  found: 2,
  count: 10,
  wantsRecall: false,
  startedAt: new Date("2026-01-01T00:00:00Z"),
  finishedAt: null,
} as const;
const OWN = { candidates: 1_000, analyzed: 1_000, given: 1_000 };
const LATER = new Date("2026-01-01T00:00:10Z");

describe("progress", () => {
  verifies("websets:search-object:progress", "is the further of items and candidates, and tells the time left", () => {
    expect(progressOf(RUNNING, LATER)).toEqual({ found: 2, analyzed: 5, completion: 25, timeLeft: 30 });
    expect(progressOf({ ...RUNNING, found: 8 }, LATER)).toMatchObject({ completion: 80 });
    expect(progressOf({ ...RUNNING, analyzed: 1 }, LATER)).toMatchObject({ timeLeft: null });
    expect(progressOf({ ...RUNNING, found: 10 }, LATER)).toMatchObject({ completion: 99 });
    expect(progressOf({ ...RUNNING, status: "completed" }, LATER)).toMatchObject({ completion: 100, timeLeft: 0 });
  });

  it("gives rates of a hundred", () => {
    expect(successRate({ description: "", judged: 3, yes: 1 })).toBe(33.3);
    expect(successRate({ description: "", judged: 0, yes: 0 })).toBe(0);
  });
});

describe("what a search does next", () => {
  const state = { ...RUNNING, given: 0, isJudgingGiven: false };
  it.each([
    ["plans first", { plan: null }, { kind: "plan" }],
    ["waits for open candidates", {}, { kind: "wait" }],
    ["collects when all are judged", { analyzed: 10 }, { kind: "collect" }],
    ["ends when nothing is left", { analyzed: 10, step: 2 }, { kind: "end", reason: "exhausted" }],
    ["ends at the count", { found: 10 }, { kind: "end", reason: "count" }],
    ["goes on past the count while its own items are judged", { found: 10, isJudgingGiven: true }, { kind: "wait" }],
    ["goes on past the count for recall", { found: 10, wantsRecall: true, analyzed: 10 }, { kind: "collect" }],
    ["collects all of its own items", { found: 10, ...OWN, isJudgingGiven: true }, { kind: "collect" }],
    ["looks for others after its own items", OWN, { kind: "collect" }],
    ["ends at the limit", { candidates: 500, analyzed: 500 }, { kind: "end", reason: "limit" }],
  ])("%s", (_name, change, expected) => {
    expect(nextOfSearch({ ...state, ...change })).toEqual(expected);
  });

  it("judges at most fifty for each item and fifty thousand", () => {
    expect([candidateLimit(1), candidateLimit(1_000), candidateLimit(50_000)]).toEqual([50, 50_000, 50_000]);
  });
});
