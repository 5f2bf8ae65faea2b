import { ListDirV2ParamsSchema, RipgrepRawSearchParamsSchema } from "@quarry/contract";
import { describe, expect, it } from "vitest";
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
