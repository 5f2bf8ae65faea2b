import { describe, expect, it } from "vitest";
import { readFences } from "./read-fences.ts";

describe("the code blocks of a text", () => {
  it.each([
    ["none", "plain", []],
    ["one", "see\n```ts\na\nb\n```\nend", ["a\nb\n"]],
    ["an empty one", "```\n```", [""]],
    ["two, of either sign", "```\na\n```  \n~~~x\nb\n~~~", ["a\n", "b\n"]],
    ["a shorter fence inside", "````\n```\na\n```\n````", ["```\na\n```\n"]],
    ["one that only a shorter fence ends", "````\na\n```", ["a\n"]],
    ["one that nothing ends", "```\na\n", []],
  ])("%s", (_, text, expected) => {
    expect(readFences(text)).toEqual(expected);
  });

  it("reads a hundred thousand blocks that never end", () => {
    const text = "```a\n".repeat(100_000);
    const begin = process.cpuUsage();
    expect(readFences(text)).toEqual([]);
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(2_000); // the square of it would take minutes
  });
});
