import { describe, expect, it } from "vitest";
import { createSentenceScorer } from "./sentence-scorer.ts";

const scoreSentences = createSentenceScorer(() => ({ pageCount: 0, averageLength: 0, pagesWith: () => 0 }));

describe("createSentenceScorer", () => {
  it.each([
    ["de", "Siemens", "Die Stadt liegt an der Isar.", "Siemens wurde 1847 in Berlin gegründet und baut Züge."],
    ["en", "Siemens", "The town lies on a river.", "Siemens was founded in Berlin in 1847 and builds trains."],
  ])("finds a name on a page in %s, in whose language the query need not be", (language, query, other, about) => {
    const scores = scoreSentences(query, { text: `${other} ${about}`, language }).map(({ score }) => score);
    expect(scores[1]).toBeGreaterThan(scores[0] ?? 1);
  });
});
