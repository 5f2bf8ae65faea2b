import { describe, expect, it } from "vitest";
import { readyIds, writeTodos, type Todo } from "./todo-list.ts";

const todo = (id: string, dependencies: readonly string[] = [], status = "pending") => ({
  id,
  content: `do ${id}`,
  status,
  dependencies: [...dependencies],
});

describe("writeTodos", () => {
  it.each([
    [[todo("a", ["b"]), todo("b", ["a"])], /a waits for b waits for a/],
    [[todo("a", ["a"])], /a waits for a/],
    [[todo("a", ["c"]), todo("b", ["a"]), todo("c", ["b"])], /waits for/],
    [[todo("a", ["x"])], /a depends on x, which is no todo; there are a/],
    [[todo("a"), todo("a")], /the id a stands there twice/],
    [[{ id: "a" }], /a is new and has no content/],
  ])("refuses %j", (given, message) => {
    expect(() => writeTodos([], given, false)).toThrow(message);
  });

  it("takes a long chain, and a diamond, for no cycle", () => {
    const chain = Array.from({ length: 200 }, (_, index) => todo(`t${index}`, index === 0 ? [] : [`t${index - 1}`]));
    expect(readyIds(writeTodos([], chain, false))).toEqual(["t0"]);
    const diamond = [todo("a"), todo("b", ["a"]), todo("c", ["a"]), todo("d", ["b", "c"])];
    expect(writeTodos([], diamond, false)).toHaveLength(4);
    expect(() => writeTodos([], [...chain, todo("one too many")], false)).toThrow(/at most 200/);
  });

  it("keeps what a merge leaves out, and refuses a cycle that only the merge makes", () => {
    const before: readonly Todo[] = [
      { id: "a", content: "first", status: "in_progress", dependencies: [] },
      { id: "b", content: "second", status: "pending", dependencies: ["a"] },
    ];
    expect(writeTodos(before, [{ id: "b", status: "completed" }, todo("c")], true)).toEqual([
      before[0],
      { id: "b", content: "second", status: "completed", dependencies: ["a"] },
      todo("c"),
    ]);
    expect(() => writeTodos(before, [{ id: "a", dependencies: ["b"] }], true)).toThrow(/waits for/);
  });
});
