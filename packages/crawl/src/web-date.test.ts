import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWebDate } from "./web-date.ts";

describe("parseWebDate", () => {
  it.each([
    ["2024", "2024-01-01T00:00:00.000Z"],
    ["2024-05", "2024-05-01T00:00:00.000Z"],
    ["2024-05-06", "2024-05-06T00:00:00.000Z"],
    [" 2024-05-06T07:08Z ", "2024-05-06T07:08:00.000Z"],
    ["2024-05-06T07:08:09.123456+02:00", "2024-05-06T05:08:09.000Z"],
    ["2024-05-06 07:08:09", "2024-05-06T07:08:09.000Z"],
    ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"],
    ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"],
    ["Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37.000Z"],
    ["05 Jan 17 13:34:54 +0100", "2017-01-05T12:34:54.000Z"],
    ["5 January 2017", "2017-01-05T00:00:00.000Z"],
    ["25 Jun 2010 15:00:00 PST", "2010-06-25T23:00:00.000Z"],
  ])("reads %s", (text, expected) => {
    expect(parseWebDate(text)?.toISOString()).toBe(expected);
  });

  it.each([
    "",
    "yesterday",
    "2024-13-01",
    "2024-02-30",
    "31 Foo 2020",
    "2024-05-06T25:00:00Z",
    "1066-10-14",
    "Mon, 01 Jan 2024 00:00:00 XYZ",
    "12",
  ])("knows no date in %j", (text) => {
    expect(parseWebDate(text)).toBeUndefined();
  });

  it("reads back every date that ISO 8601 writes", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date("2999-12-31"), noInvalidDate: true }), (date) => {
        const seconds = new Date(Math.floor(date.getTime() / 1000) * 1000);
        expect(parseWebDate(seconds.toISOString())).toEqual(seconds);
        expect(parseWebDate(seconds.toUTCString())).toEqual(seconds);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void parseWebDate(text)));
  });
});
