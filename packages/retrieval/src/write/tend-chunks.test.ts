import { expect, it } from "vitest";
import { allowedUnindexed } from "./tend-chunks.ts";

it.each([
  ["busy", 10_000, 1_000],
  ["busy", 1_000_000, 30_000],
  ["idle", 10_000, 100],
  ["idle", 1_000_000, 2_000],
  ["full", 1_000_000, 0],
] as const)("leaves few chunks without an index: %s, %i rows", (mode, rows, allowed) => {
  expect(allowedUnindexed(rows, mode)).toBe(allowed);
});
