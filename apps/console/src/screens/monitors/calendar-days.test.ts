import { expect, it } from "vitest";
import { listCalendarDays } from "./calendar-days.ts";

it("has whole weeks from Monday on around today, with what falls on each day", () => {
  const now = new Date(2026, 10, 18, 12); // a Wednesday
  const entries = [{ at: new Date(2026, 10, 18, 6).toISOString() }, { at: new Date(2026, 11, 6, 23).toISOString() }];
  const days = listCalendarDays(entries, now);
  expect(days).toHaveLength(42);
  expect(days[0]?.date).toEqual(new Date(2026, 10, 2));
  expect(days.findIndex(({ isToday }) => isToday)).toBe(16);
  expect(days[16]?.entries).toEqual([entries[0]]);
  expect(days.at(-8)?.entries).toEqual([entries[1]]);
});
