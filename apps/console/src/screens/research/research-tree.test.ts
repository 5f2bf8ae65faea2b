import { expect, it } from "vitest";
import type { ResearchEvent } from "./research-shapes.ts";
import { buildTree, listMetPages } from "./research-tree.ts";

const SEARCH = { type: "search", query: "q", results: [{ url: "a" }, { url: "b" }], pageTokens: 5 } as const;
const CRAWL = { type: "crawl", result: { url: "b" }, pageTokens: 9 } as const;
const EVENTS: readonly ResearchEvent[] = [
  { eventType: "research-definition", createdAt: 0 },
  { eventType: "plan-definition", planId: "p", createdAt: 10 },
  { eventType: "plan-output", planId: "p", output: { outputType: "tasks", reasoning: "two parts" }, createdAt: 30 },
  { eventType: "task-definition", planId: "p", taskId: "t", instructions: "find", createdAt: 40 },
  { eventType: "task-operation", planId: "p", taskId: "t", operationId: "o1", data: SEARCH, createdAt: 90 },
  { eventType: "task-operation", planId: "p", taskId: "t", operationId: "o2", data: CRAWL, createdAt: 100 },
  { eventType: "task-output", planId: "p", taskId: "t", output: { content: "- found" }, createdAt: 105 },
];

it("makes a tree of plans, tasks and steps with their times", () => {
  expect(buildTree(EVENTS)).toMatchObject([
    {
      id: "p",
      reasoning: "two parts",
      ms: 20,
      tasks: [
        {
          id: "t",
          content: "- found",
          ms: 65,
          steps: [
            { id: "o1", ms: 50 },
            { id: "o2", ms: 10 },
          ],
        },
      ],
    },
  ]);
});

it("tells pages that were read from pages that were only seen", () => {
  expect([...listMetPages(EVENTS)]).toEqual([
    ["a", "seen"],
    ["b", "read"],
  ]);
});
