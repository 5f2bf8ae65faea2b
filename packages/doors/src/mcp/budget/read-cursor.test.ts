import { encodeCursor } from "@quarry/base";
import { expect, it } from "vitest";
import { readCursor } from "./read-cursor.ts";

it("begins at the beginning without a cursor", () => {
  expect(readCursor(undefined)).toBeUndefined();
});

it.each([
  [["2", "40"], { place: "2", offset: 40 }],
  [["item_1", "1"], { place: "item_1", offset: 1 }],
  [["2", "0"], { place: "2", offset: 0 }],
  [["2", "7.9"], { place: "2", offset: 7 }],
  [["2", "-1"], { place: "2", offset: 0 }],
  [["2", "far"], { place: "2", offset: 0 }],
])("goes on after %j", (position, cursor) => {
  expect(readCursor(encodeCursor(position))).toEqual(cursor);
});

it.each([[""], ["nonsense"], [encodeCursor(["2"])], [encodeCursor(["2", "40", "x"])]])(
  "refuses %j, and says what to pass",
  (cursor) => {
    let refusal: unknown;
    try {
      readCursor(cursor);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("next.cursor of the reply before") as string,
    });
  },
);
