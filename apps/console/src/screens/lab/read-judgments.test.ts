import { expect, it } from "vitest";
import { readJudgments, writeJudgments } from "./read-judgments.ts";

it("reads an address a line, with its grade where it is not the best, and writes them so", () => {
  const judgments = readJudgments("https://a.example/\n\n  https://b.example/x 1 \nhttps://c.example/ 2");
  expect(judgments).toEqual([
    { url: "https://a.example/", grade: 3 },
    { url: "https://b.example/x", grade: 1 },
    { url: "https://c.example/", grade: 2 },
  ]);
  expect(readJudgments(writeJudgments(judgments))).toEqual(judgments);
});
