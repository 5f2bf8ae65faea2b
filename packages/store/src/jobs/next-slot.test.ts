import { describe, expect, it } from "vitest";
import { nextSlot } from "./next-slot.ts";

function slots(pattern: string, timeZone: string, after: string, count: number): readonly string[] {
  const found: string[] = [];
  let last = new Date(after);
  while (found.length < count) {
    const next = nextSlot({ pattern, timeZone }, last);
    if (next === undefined) break;
    found.push(next.toISOString());
    last = next;
  }
  return found;
}

describe("nextSlot", () => {
  it("reads the pattern in its time zone", () => {
    expect(slots("0 9 * * MON", "America/New_York", "2026-11-15T00:00:00Z", 2)).toEqual([
      "2026-11-16T14:00:00.000Z",
      "2026-11-23T14:00:00.000Z",
    ]);
  });

  it("gives each day one slot where the clocks skip or repeat it", () => {
    expect(slots("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00.000Z", // 02:30 does not exist: the clocks jump to 03:00
      "2026-03-30T00:30:00.000Z",
    ]);
    expect(slots("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30:00.000Z", // the first of the two
      "2026-10-26T01:30:00.000Z",
    ]);
  });

  it("takes either of a day of the month and a weekday, also at the turn of a month", () => {
    expect(slots("0 3 1 * 2", "UTC", "2026-02-24T04:00:00Z", 3)).toEqual([
      "2026-03-01T03:00:00.000Z",
      "2026-03-03T03:00:00.000Z",
      "2026-03-10T03:00:00.000Z",
    ]);
  });

  it("reads seconds in front, and ? as any day", () => {
    expect(slots("30 0 3 1 * ?", "UTC", "2026-02-24T04:00:00Z", 2)).toEqual([
      "2026-03-01T03:00:30.000Z",
      "2026-04-01T03:00:30.000Z",
    ]);
    expect(slots("15 0 3 1 * 2", "UTC", "2026-02-24T04:00:00Z", 2)).toEqual([
      "2026-03-01T03:00:15.000Z",
      "2026-03-03T03:00:15.000Z",
    ]);
    expect(slots("0 3 ? * 2", "UTC", "2026-02-24T04:00:00Z", 1)).toEqual(["2026-03-03T03:00:00.000Z"]);
  });

  it("is undefined for a day that never comes", () => {
    expect(nextSlot({ pattern: "0 0 30 2 *", timeZone: "UTC" }, new Date("2026-01-01"))).toBeUndefined();
  });

  it.each([
    ["61 * * * *", "UTC", /minute: 61/],
    ["* * *", "UTC", /no cron pattern/],
    ["2026-01-01T00:00:00", "UTC", /runAt/],
    ["* * * * *", "Mars/Base", /IANA time zone/],
  ])("says what is wrong with %s in %s", (pattern, timeZone, message) => {
    expect(() => nextSlot({ pattern, timeZone }, new Date())).toThrow(message);
  });
});
