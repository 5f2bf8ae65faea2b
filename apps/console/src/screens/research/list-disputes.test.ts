import { expect, it } from "vitest";
import { listDisputes } from "./list-disputes.ts";

it("reads which pages a report sets against each other, and what the other side says", () => {
  const report = [
    "# Marble",
    "It is old [[1]](https://a.example/).",
    "## Where sources disagree",
    "- It is old. [[1]](https://a.example/) — but: It is new. [[2]](https://b.example/)[[3]](https://c.example/)",
    "## Sources",
    "1. [A](https://a.example/)",
  ].join("\n\n");
  expect([...listDisputes(report)]).toEqual([
    ["https://a.example/", ["It is new."]],
    ["https://b.example/", ["It is old."]],
    ["https://c.example/", ["It is old."]],
  ]);
  expect(listDisputes("# Nothing\n\nis disputed").size).toBe(0);
});
