import { expect, it } from "vitest";
import { cutLines, planImport, sumUp } from "./import-file.ts";

it.each([
  ["pages.NDJSON", { kind: "lines" }],
  ["pages.json", { kind: "json" }],
  ["CC-MAIN.warc.gz", { kind: "archive" }],
  ["a b#c.pdf", { kind: "page", url: "https://files.invalid/uploads/a%20b%23c.pdf" }],
])("sends %s its way", (name, plan) => {
  expect(planImport(name)).toEqual(plan);
});

it("cuts lines into lists that fit a request", () => {
  expect(cutLines("1\n\n2\n3\n", 2)).toEqual(["1\n2", "3"]);
  expect(cutLines("\n")).toEqual([]);
});

it("sums up what became of a file, with the first problems in words", () => {
  const errors = Array.from({ length: 7 }, (_, index) => ({ url: `u${index}`, status: "error" as const, error: "no" }));
  expect(sumUp("f", [{ url: "a", status: "created" }, { url: "b", status: "stale" }, ...errors])).toEqual({
    name: "f",
    saved: 1,
    unchanged: 1,
    problems: ["u0: no", "u1: no", "u2: no", "u3: no", "u4: no", "and 2 more"],
  });
});
