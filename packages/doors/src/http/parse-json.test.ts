import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findJsonMistake, parseJson } from "./parse-json.ts";

function refusalOf(text: string): string {
  try {
    parseJson(text);
    return "accepted";
  } catch (error) {
    return error instanceof AppError ? error.message : String(error);
  }
}

it.each([
  ['{"a": 1,}', "line 1, column 9"],
  ["{'a': 1}", "line 1, column 2"],
  ['{\n  "a": tru\n}', "line 2, column 8"],
  ['{"a": 01}', "line 1, column 7"],
  ['{"a": "b\nc"}', "line 1, column 9"],
  ['{"a": "\\x"}', "line 1, column 8"],
  ["[1, 2", "at the end"],
  ['{"a": "b', "at the end"],
  ["{} {}", "line 1, column 4"],
  ["[1}", "line 1, column 3"],
  ["{:1}", "line 1, column 2"],
  ["hello", "line 1, column 1"],
  ["NaN", "line 1, column 1"],
])("says where %j goes wrong", (text, place) => {
  const message = refusalOf(text);
  expect(message).toMatch(/^Invalid request body \| Invalid JSON /);
  expect(message).toContain(place);
});

verifies("http:trap:empty-body", "takes an empty body, and one of white space, for none", () => {
  expect([parseJson(""), parseJson(" \r\n")]).toEqual([undefined, undefined]);
});

it("refuses what is nested so deeply that reading it further would fill the stack", () => {
  const nested = (levels: number, inside: string): string => `${"[".repeat(levels)}${inside}${"]".repeat(levels)}`;
  expect(refusalOf(nested(500, '"["'))).toBe("accepted");
  for (const [levels, inside] of [
    [501, ""],
    [200_000, ""],
    [200_000, '"\\u00e9"'],
  ] as const) {
    expect(refusalOf(nested(levels, inside))).toBe(
      "Invalid request body | expected at most 500 lists and objects in each other",
    );
  }
  expect(refusalOf(JSON.stringify(Array.from({ length: 5_000 }, () => [[]])))).toBe("accepted");
});

it("drops keys that would change a prototype, however they are written", () => {
  for (const text of ['{"a":{"__proto__":{"x":1}}}', '{"a":{"\\u005f_proto__":{"x":1}}}']) {
    const parsed = parseJson(text) as { a: object };
    expect(Object.keys(parsed.a)).toEqual([]);
    expect(Object.assign({}, parsed.a)).not.toHaveProperty("x");
  }
});

it("agrees with JSON.parse about what is JSON", () => {
  const almostJson = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", "{", "]", ",", '"', "\\", "0", "e", " ", "\u0001", "nul"))
    .map(([json, at, extra]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + extra + json.slice(place + (at % 2));
    });
  fc.assert(
    fc.property(almostJson, (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false; // the expectation below compares
      }
      const mistake = findJsonMistake(text);
      if (isJson) expect(mistake).toBe(text.length);
      // Up to the mistake nothing is wrong.
      else expect(findJsonMistake(text.slice(0, mistake))).toBe(mistake);
    }),
    { numRuns: 2_000 },
  );
});

it("finds the mistake at the end of megabytes of string, and of deep nesting", () => {
  expect(findJsonMistake(`["${"a".repeat(4_000_000)}" x]`)).toBe(4_000_004);
  expect(findJsonMistake(`${"[".repeat(500_000)}}`)).toBe(500_000);
});
