import { ListDirV2ParamsSchema, RipgrepRawSearchParamsSchema } from "@quarry/contract";
import { describe, expect, it } from "vitest";
import { hashArgs } from "./hash-args.ts";
import { writeNoteTool } from "./testing.ts";
import { validateArgs } from "./validate-call.ts";

const anything = { ...writeNoteTool(() => Promise.resolve()), schema: { type: "object" } };

describe("raw_args by the names of older notes", () => {
  const search = { ...anything, args: RipgrepRawSearchParamsSchema };

  it.each([
    [
      { pattern: "x", case_sensitive: true },
      { pattern: "x", caseInsensitive: false },
    ],
    [
      { pattern: "x", case_sensitive: false },
      { pattern: "x", caseInsensitive: true },
    ],
    [
      { pattern: "x", max_results: 5 },
      { pattern: "x", headLimit: 5 },
    ],
    [
      { pattern: "x", ignore_globs: ["*.md"] },
      { pattern: "x", ignoreGlobs: ["*.md"] },
    ],
  ])("%j", (given, args) => {
    expect(validateArgs(search, given)).toMatchObject({ kind: "valid", args });
  });

  it("depth of a directory list", () => {
    const list = { ...anything, args: ListDirV2ParamsSchema };
    expect(validateArgs(list, { target_directory: "src", depth: 2 })).toMatchObject({
      kind: "valid",
      args: { targetDirectory: "src", depth: 2 },
    });
  });
});

it("hashes arguments however they are ordered, and apart for each tool", () => {
  expect(hashArgs("a", { x: 1, y: { b: 1, a: [1, 2] } })).toBe(hashArgs("a", { y: { a: [1, 2], b: 1 }, x: 1 }));
  expect(hashArgs("a", { x: 1 })).not.toBe(hashArgs("b", { x: 1 }));
  expect(hashArgs("a", { x: [1, 2] })).not.toBe(hashArgs("a", { x: [2, 1] }));
});
