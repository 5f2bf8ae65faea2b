import { expect, it } from "vitest";
import { scoreRanking } from "./score-ranking.ts";

const GRADES = new Map([
  ["a", 3],
  ["b", 1],
]);

it.each([
  ["the best order", ["a", "b", "x"], 1, 1],
  ["the lesser page first", ["b", "a"], (1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)), 1],
  ["a good page third", ["x", "y", "a"], 3 / 2 / (3 + 1 / Math.log2(3)), 1 / 3],
  ["nothing good", ["x"], 0, 0],
  ["a good page beyond the tenth place", [...Array.from({ length: 10 }, (_, place) => `x${place}`), "a"], 0, 0],
])("scores %s", (_, ranked, ndcg, reciprocalRank) => {
  const score = scoreRanking(ranked, GRADES);
  expect(score.ndcg).toBeCloseTo(ndcg, 10);
  expect(score.reciprocalRank).toBeCloseTo(reciprocalRank, 10);
});

it("scores nothing as nothing where no page is good", () => {
  expect(scoreRanking(["a"], new Map())).toEqual({ ndcg: 0, reciprocalRank: 0 });
});
