import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { z } from "zod";
import { absentable, instant, queryBoolean, queryInteger, queryList } from "./values.ts";

verifies("http:trap:null-is-absent", "takes null and a missing field for the same", () => {
  const schema = z.object({ limit: absentable(z.number()) });
  expect(schema.parse({ limit: null })).toEqual({ limit: undefined });
  expect(schema.parse({})).toEqual({ limit: undefined });
  expect(schema.parse({ limit: 0 })).toEqual({ limit: 0 });
  expect(schema.safeParse({ limit: "0" }).success).toBe(false);
});

verifies("http:trap:python-booleans", "reads True, FALSE, 1 and 0 as booleans, and refuses other words", () => {
  const words = ["true", "True", "TRUE", "1", "false", "False", "0"];
  expect(words.map((word) => queryBoolean().parse(word))).toEqual([true, true, true, true, false, false, false]);
  expect(["yes", "", "2"].map((word) => queryBoolean().safeParse(word).success)).toEqual([false, false, false]);
});

it("reads whole numbers within their range only", () => {
  const schema = queryInteger({ min: 1, max: 100 });
  expect(schema.parse("25")).toBe(25);
  const wrong = ["0", "101", "1.5", "", " ", "ten", "1e999", ["1", "2"]];
  expect(wrong.map((text) => schema.safeParse(text).success)).toEqual(wrong.map(() => false));
});

it("reads a list from one value, repeated keys and commas", () => {
  const schema = queryList(z.enum(["a", "b", "c"]));
  expect([schema.parse("a"), schema.parse(["a", "b"]), schema.parse("a,b"), schema.parse(["a,b", "c"])]).toEqual([
    ["a"],
    ["a", "b"],
    ["a", "b"],
    ["a", "b", "c"],
  ]);
  expect(schema.safeParse("a,,b").success).toBe(false);
});

it("reads instants with a zone or in UTC, and dates as their start in UTC", () => {
  expect(instant().parse("2026-01-02")).toEqual(new Date("2026-01-02T00:00:00.000Z"));
  expect(instant().parse("2026-01-02T03:00:00+02:00")).toEqual(new Date("2026-01-02T01:00:00.000Z"));
  expect(instant().parse("2026-01-02T03:00:00")).toEqual(new Date("2026-01-02T03:00:00.000Z"));
  expect(instant().parse("2026-01-02T03:00:00.123456")).toEqual(new Date("2026-01-02T03:00:00.123Z"));
  expect(instant().safeParse("2026-01-02T25:00:00").success).toBe(false);
  expect(instant().safeParse("2026-02-30").success).toBe(false);
});
