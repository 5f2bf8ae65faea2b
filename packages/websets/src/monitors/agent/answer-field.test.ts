import { expect, it } from "vitest";
import type { CriterionQuestion } from "../../judge/verdict.ts";
import { answerField } from "./answer-field.ts";

it("judges a yes-or-no field with the embedder that it is given", async () => {
  const asked: CriterionQuestion[] = [];
  const embed = (texts: readonly string[]): Promise<readonly Float32Array[]> =>
    Promise.resolve(texts.map(() => Float32Array.of(1)));
  const answer = await answerField(
    {
      judgeCriterion: (question) => {
        asked.push(question);
        return Promise.resolve({ satisfied: "unclear", reasoning: "nothing tells", references: [] });
      },
      fillCell: () => Promise.reject(new Error("no cell is asked for")),
    },
    {
      entity: { name: "Acme", domain: "acme.example", description: null },
      field: { id: "field", name: "API", description: "offers a public API", type: "boolean" },
      pages: [],
      now: new Date("2026-01-01T00:00:00Z"),
      llm: undefined,
      embed,
    },
    new AbortController().signal,
  );
  expect(answer).toEqual({ found: undefined, references: [], tokens: 0 });
  expect(asked).toMatchObject([{ criterion: "offers a public API", embed }]);
});
