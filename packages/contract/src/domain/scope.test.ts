import { expect, it } from "vitest";
import { hasScope, scopeNames } from "./scope.ts";

it("grants everything to `all` and to each scope itself alone", () => {
  for (const needed of scopeNames) {
    expect(hasScope(["all"], needed)).toBe(true);
    expect(scopeNames.filter((granted) => hasScope([granted], needed)).sort()).toEqual(
      [...new Set(["all", needed])].sort(),
    );
  }
  expect(hasScope([], "search")).toBe(false);
});

it("keeps its published names", () => {
  expect(scopeNames).toEqual(["all", "search", "research", "websets", "index", "tools", "approvals", "admin"]);
});
