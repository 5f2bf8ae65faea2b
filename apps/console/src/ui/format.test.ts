import { expect, it } from "vitest";
import { niceCeiling, tickLabels } from "./chart-scale.ts";
import { formatAgo, formatBytes, formatDollars, formatDuration, hostOf } from "./format.ts";

it.each([
  [0.42, "0.4 ms"],
  [12.4, "12 ms"],
  [3_400, "3.4 s"],
  [125_000, "2 min 5 s"],
  [12_000_000, "3 h 20 min"],
  [180_000_000, "2 d 2 h"],
])("%d ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it("writes bytes, money, times and hosts as people do", () => {
  expect([0, 1_023, 1_536, 250 * 1024 ** 2].map(formatBytes)).toEqual(["0 B", "1023 B", "1.5 KB", "250 MB"]);
  expect([0, 0.00423, 0.1, 0.2, 12].map(formatDollars)).toEqual(["$0.00", "$0.0042", "$0.10", "$0.20", "$12.00"]);
  const now = new Date("2026-03-01T12:00:00Z");
  expect(
    ["2026-03-01T11:59:58Z", "2026-03-01T11:55:00Z", "2026-02-27T12:00:00Z"].map((at) => formatAgo(at, now)),
  ).toEqual(["just now", "5 min ago", "2 d ago"]);
  expect([hostOf("https://www.e.org/x"), hostOf("e")]).toEqual(["e.org", "e"]);
});

it("ends an axis at a round number and labels it sparsely", () => {
  expect([0, 0.03, 1, 7, 45, 101].map(niceCeiling)).toEqual([1, 0.05, 1, 10, 50, 200]);
  expect(tickLabels(Array.from({ length: 24 }, (_, index) => String(index))).map(({ label }) => label)).toEqual([
    "0",
    "4",
    "8",
    "12",
    "16",
    "20",
  ]);
});
