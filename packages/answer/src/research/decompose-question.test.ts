import { expect, it } from "vitest";
import { decomposeQuestion } from "./decompose-question.ts";

it.each([
  ["How does git rebase work?", ["How does git rebase work?"]],
  [
    "Report on git bisect:\n- what it is for\n- how to automate it",
    ["Report on git bisect: what it is for", "Report on git bisect: how to automate it"],
  ],
  [
    "Who wrote Git, when was it first released and why was it made?",
    ["Who wrote Git", "when was it first released (Git)", "why was it made (Git)"],
  ],
  [
    "What is WAL in SQLite, and how does PostgreSQL do checkpoints?",
    ["What is WAL in SQLite", "how does PostgreSQL do checkpoints?"],
  ],
  ["What is a blob? What is a tree?", ["What is a blob?", "What is a tree?"]],
  ["Compare merge with rebase.", ["Compare merge with rebase.", "What is merge?", "What is rebase?"]],
])("takes %j apart", (instructions, parts) => {
  expect(decomposeQuestion(instructions, 4)).toEqual(parts);
});

it("keeps to the number allowed and to what can be searched for", () => {
  const many = Array.from({ length: 50 }, (_, index) => `- question number ${index}`).join("\n");
  expect(decomposeQuestion(many, 3)).toHaveLength(3);
  expect(decomposeQuestion("x ".repeat(20_000), 3)[0]?.length).toBeLessThanOrEqual(400);
  expect(decomposeQuestion("?", 3)).toEqual(["?"]);
});
