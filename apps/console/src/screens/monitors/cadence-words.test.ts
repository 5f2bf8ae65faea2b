import { expect, it } from "vitest";
import { describeCadence } from "./cadence-words.ts";

it.each([
  ["30 5 * * *", "Every day, 05:30 (Europe/Vienna)"],
  ["0 18 * * 1", "Mondays, 18:00 (Europe/Vienna)"],
  ["*/5 * * * *", "*/5 * * * * (Europe/Vienna)"],
  ["0 6 1 * *", "0 6 1 * * (Europe/Vienna)"],
])("tells %s as %s", (cron, words) => {
  expect(describeCadence({ cron, timezone: "Europe/Vienna" })).toBe(words);
});
