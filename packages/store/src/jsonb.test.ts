import { expect, it } from "vitest";
import { toJsonb, type Json } from "./jsonb.ts";
import { withDatabase } from "./testing.ts";

it.each<[Json, Json]>([
  ["nul \0 inside", "nul \ufffd inside"],
  ["half \ud83d of a pair", "half \ufffd of a pair"],
  ["whole 😀 pair", "whole 😀 pair"],
  ["a backslash \\u0000 spelled out \\\\ud83d", "a backslash \\u0000 spelled out \\\\ud83d"],
  [{ "key\0": [1, null, "\0"] }, { "key\ufffd": [1, null, "\ufffd"] }],
  [
    ["a", "b"],
    ["a", "b"],
  ],
])("makes %j storable", async (value, stored) => {
  await withDatabase(async (db) => {
    expect(await db.query("SELECT $1::jsonb AS value", [toJsonb(value)])).toEqual([{ value: stored }]);
  });
});
