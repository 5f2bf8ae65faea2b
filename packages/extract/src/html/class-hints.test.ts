import { describe, expect, it } from "vitest";
import { HINT_GROUPS, readHints } from "./class-hints.ts";

function groupsOf(names: string): readonly string[] {
  const mask = readHints(names);
  return HINT_GROUPS.filter((_, index) => ((mask >>> index) & 1) === 1);
}

describe("readHints", () => {
  it.each([
    ["comment-list", ["comment", "card"]],
    ["articleBody__mainText", ["content"]],
    ["site-nav", ["navigation"]],
    ["sr-only", ["hidden"]],
    ["visually-hidden", ["hidden"]],
    ["authorized", []],
    ["x1y2z3", []],
    ["", []],
  ])("reads %s", (names, expected) => {
    expect(groupsOf(names)).toEqual(expected);
  });
});
