import { expect, it } from "vitest";
import { formatBytes, formatDollars, formatDuration, formatTime } from "./format.ts";

it.each([
  [formatTime(null), "-"],
  [formatTime("2030-01-31T12:34:56.000Z"), "2030-01-31 12:34Z"],
  [formatDollars(0), "0"],
  [formatDollars(0.00512), "0.0051"],
  [formatDollars(12.5), "12.50"],
  [formatBytes(0), "0 B"],
  [formatBytes(1023), "1023 B"],
  [formatBytes(1536), "1.5 KB"],
  [formatBytes(5 * 1024 ** 4), "5.0 TB"],
  [formatDuration(0.4), "0 s"],
  [formatDuration(61), "1 min 1 s"],
  [formatDuration(3600), "1 h"],
  [formatDuration(90_061), "1 d 1 h"],
])("writes %s", (text, expected) => {
  expect(text).toBe(expected);
});
