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

  it("that have another number of parts are a mistake of the caller's, in its field cursor", () => {
    let refusal: unknown;
    try {
      decodeCursor(encodeCursor(["a", "b"]), 3);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: "invalid_request", details: { field: "cursor" } });
  });

  it.each([[[1, 2, 3]], [["a", null, "c"]], [{ length: 3 }], ["abc"], [null]])(
    "that hold something else than texts, as %j, are refused",
    (value) => {
      const cursor = Buffer.from(JSON.stringify(value)).toString("base64url");
      expect(() => decodeCursor(cursor, 3)).toThrow("pass nextCursor of the page before");
    },
  );
});

describe("toPage", () => {
  const positionOf = (row: number): readonly string[] => [String(row)];

  it("has a next cursor only when a row was read past the limit", () => {
    expect(toPage([1, 2, 3], 2, positionOf)).toEqual({ data: [1, 2], hasMore: true, nextCursor: encodeCursor(["2"]) });
    expect(toPage([1, 2], 2, positionOf)).toEqual({ data: [1, 2], hasMore: false, nextCursor: null });
    expect(toPage([1], 0, positionOf)).toEqual({ data: [], hasMore: false, nextCursor: null });
    expect(toPage([], 2, positionOf)).toEqual({ data: [], hasMore: false, nextCursor: null });
  });
});
