import { expect, it } from "vitest";
import { cellOf, hasWords, listColumns, nameOf } from "./webset-columns.ts";
import type { Webset, WebsetItem } from "./webset-shapes.ts";

const SEARCH = {
  id: "s",
  status: "running",
  query: "q",
  entity: null,
  count: 2,
  criteria: [{ description: "cuts granite", successRate: 50 }],
  progress: { found: 1, analyzed: 2, completion: 50, timeLeft: null },
  recall: null,
} as const;
const WEBSET: Webset = {
  id: "w",
  status: "running",
  title: null,
  searches: [SEARCH, { ...SEARCH, id: "s2" }],
  enrichments: [
    { id: "e1", status: "pending", title: null, description: "Phone", format: "phone" },
    { id: "e2", status: "pending", title: "City", description: "Which city?", format: "text" },
  ],
  createdAt: "",
  updatedAt: "",
};
const EVALUATION = { criterion: "cuts granite", satisfied: "yes", reasoning: "", references: [] } as const;
const ITEM: WebsetItem = {
  id: "i",
  properties: { type: "company", url: "https://a.example", description: "", company: { name: "Acme" } },
  evaluations: [EVALUATION],
  enrichments: [
    { enrichmentId: "e2", status: "completed", result: ["Carrara", "Rome"], reasoning: null, references: [] },
  ],
};

it("has a column for each criterion, once, and for each enrichment", () => {
  expect(listColumns(WEBSET).map(({ heading }) => heading)).toEqual(["cuts granite", "Phone", "City"]);
});

it("tells what stands in a cell, what is still to come, and what an item is called", () => {
  const columns = listColumns(WEBSET);
  expect(columns.map((column) => cellOf(ITEM, column))).toEqual([
    { kind: "verdict", evaluation: EVALUATION },
    { kind: "pending" },
    { kind: "value", result: ITEM.enrichments[0], text: "Carrara, Rome" },
  ]);
  expect(nameOf(ITEM)).toBe("Acme");
  expect(["acme", "rome", "yes", "paris"].map((words) => hasWords(ITEM, columns, words))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
