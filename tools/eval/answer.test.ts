import { describeData } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { scoreDocs } from "./answer-docs.ts";
import { holdsAnswer, readQuestions } from "./answer-questions.ts";
import { evaluateQuestions } from "./answer.ts";
import { readSearchSet } from "./search-sets.ts";

const progress = (): void => undefined;

verifies("answer:quality:qed-span", "counts an answer only when all its parts are there, word for word", () => {
  const answers = [["Raymond Unwin", "Barry Parker"], ["the planner Unwin"]];
  expect(holdsAnswer("It was laid out by Raymond Unwin.", { answers })).toBe(false);
  expect(holdsAnswer("By Raymond Unwin and Barry Parker.", { answers })).toBe(true);
  expect(holdsAnswer("It was the planner Unwin.", { answers })).toBe(true);
});

describeData("qed", (folder) => {
  verifies(
    ["answer:quality:qed-passage", "answer:quality:qed-span", "answer:nothing-found:honest"],
    "the answer of a sampled question stands in its first two sentences, its passage among the first five; without it, most get none",
    async () => {
      const set = readQuestions(`${folder}/..`);
      if (set === undefined) throw new Error("the set has no questions");
      const { rows } = await evaluateQuestions(set, { sample: 100, progress });
      const all = rows.find(([part]) => part === "all");
      expect(all?.[1]).toBeGreaterThanOrEqual(100);
      expect(all?.[2], "right passage among five").toBeGreaterThanOrEqual(0.95);
      expect(all?.[4], "answer in the first two sentences").toBeGreaterThanOrEqual(0.7);
      expect(all?.[7], "no answer without the passage").toBeGreaterThanOrEqual(0.8);
    },
    60_000,
  );
});

describeData("anthropic-docs-rag", (folder) => {
  verifies(
    "answer:quality:docs-mrr",
    "the pages of a sampled question come first",
    async () => {
      const set = readSearchSet(`${folder}/..`, "anthropic-docs-rag");
      if (set === undefined) throw new Error("the set has no questions");
      const { rows } = await scoreDocs(set, { sample: 20, progress });
      expect(rows[0]?.[6], "MRR").toBeGreaterThanOrEqual(0.8);
    },
    60_000,
  );
});
