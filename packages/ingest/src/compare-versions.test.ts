import { expect, it } from "vitest";
import { compareTexts } from "./compare-versions.ts";

const names = { from: "version 1", to: "version 2" };

it("shows what came and what went", () => {
  const change = compareTexts("one\ntwo\nthree\n", "one\n2\nthree\nfour\n", names);
  expect(change).toMatchObject({ added: 2, removed: 1 });
  expect(change.diff).toContain("--- version 1");
  expect(change.diff).toContain("-two\n+2\n three\n+four");
});

it("says nothing of equal texts", () => {
  expect(compareTexts("same", "same", names)).toEqual({ added: 0, removed: 0, diff: "" });
});

it("does not lose itself in texts that have nothing in common", () => {
  const lines = (seed: number): string =>
    Array.from({ length: 60_000 }, (_, index) => (index * seed) % 7_919).join("\n");
  const began = performance.now();
  const change = compareTexts(lines(31), lines(7), names);
  expect(change.added).toBeGreaterThan(0);
  expect(performance.now() - began).toBeLessThan(15_000);
});
