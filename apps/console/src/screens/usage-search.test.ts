import { expect, it } from "vitest";
import { listPeriods, readUsageSearch, usagePath } from "./usage-search.ts";

it("lists the starts of hours and days up to now, quiet ones too", () => {
  const now = new Date("2026-03-01T12:34:56Z");
  const hours = listPeriods(1, now);
  expect([hours.length, hours[0], hours.at(-1)]).toEqual([24, "2026-02-28T13:00:00.000Z", "2026-03-01T12:00:00.000Z"]);
  expect(listPeriods(7, now)[0]).toBe("2026-02-23T00:00:00.000Z");
});

it("reads its address and words its questions", () => {
  expect(readUsageSearch({ days: "30", by: "key" })).toEqual({ days: 30, by: "key" });
  expect(readUsageSearch({ days: 7, by: "colour" })).toEqual({});
  expect(usagePath({ from: "2026-01-01", groupBy: "day,key", format: "csv" })).toBe(
    "/quarry/v1/usage?from=2026-01-01&groupBy=day%2Ckey&format=csv",
  );
});
