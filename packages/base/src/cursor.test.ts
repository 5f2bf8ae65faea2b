import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor, toPage } from "./cursor.ts";

describe("cursors", () => {
  it("give back the position they were made from", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (position) => {
        expect(decodeCursor(encodeCursor(position), position.length)).toEqual(position);
      }),
    );
  });

  it("that are not ours are refused with what to do, whatever they are", () => {
    fc.assert(
      fc.property(fc.string(), (garbage) => {
        expect(() => decodeCursor(garbage, 3)).toThrow("pass nextCursor of the page before");
      }),
    );
  });
});

describe("toPage", () => {
  const positionOf = (row: number): readonly string[] => [String(row)];

  it("has a next cursor only when a row was read past the limit", () => {
    expect(toPage([1, 2, 3], 2, positionOf)).toEqual({ data: [1, 2], hasMore: true, nextCursor: encodeCursor(["2"]) });
    expect(toPage([1, 2], 2, positionOf)).toEqual({ data: [1, 2], hasMore: false, nextCursor: null });
    expect(toPage([], 2, positionOf)).toEqual({ data: [], hasMore: false, nextCursor: null });
  });
});
