import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { createRandom } from "../testing/random.ts";
import { estimateRecall } from "./estimate-recall.ts";

const SEEDS = 200;

/**
 * A synthetic corpus: entities that are found more or less easily, and formulations that each find them on their own. Seeds differ in
 * size (20 to 400), in how many formulations there are (3 to 6) and in how unevenly entities are found.
 */
function corpus(seed: number): { readonly truth: number; readonly captures: readonly (readonly string[])[] } {
  const random = createRandom(seed * 7919 + 13);
  const truth = 20 + random.below(381);
  const occasions = 3 + random.below(4);
  const ease = 0.25 + 0.35 * random.next();
  const unevenness = 0.25 * random.next();
  // every other corpus has a long tail of entities that hardly any formulation finds
  const hasTail = seed % 2 === 1;
  const chances = Array.from({ length: truth }, () =>
    hasTail
      ? Math.min(0.97, Math.max(0.05, (random.next() + random.next()) * ease))
      : Math.min(0.97, Math.max(0.06, ease + unevenness * (2 * random.next() - 1))),
  );
  const captures = Array.from({ length: occasions }, () =>
    chances.flatMap((chance, entity) => (random.next() < chance ? [`entity-${entity}`] : [])),
  );
  return { truth, captures };
}

const results = Array.from({ length: SEEDS }, (_, seed) => {
  const { truth, captures } = corpus(seed);
  return { truth, estimate: estimateRecall({ captures }) };
});

verifies("websets:recall:bounds-hold", "the truth lies in the bounds for at least 85 % of 200 seeds", () => {
  const held = results.filter(({ truth, estimate }) => truth >= estimate.bounds.min && truth <= estimate.bounds.max);
  expect(held.length / SEEDS).toBeGreaterThanOrEqual(0.85);
});

verifies("websets:recall:bounds-narrow", "the median width of the bounds is at most the truth", () => {
  const widths = results
    .map(({ truth, estimate }) => (estimate.bounds.max - estimate.bounds.min) / truth)
    .sort((one, other) => one - other);
  expect(widths[SEEDS / 2]).toBeLessThanOrEqual(1);
});

it("keeps the estimate between its bounds and never below what was found", () => {
  for (const { estimate } of results) {
    expect(estimate.bounds.min).toBeLessThanOrEqual(estimate.expectedTotal);
    expect(estimate.bounds.max).toBeGreaterThanOrEqual(estimate.expectedTotal);
  }
});

it("is sure when every formulation finds the same", () => {
  const same = ["a", "b", "c", "d"];
  expect(estimateRecall({ captures: [same, same, same] })).toMatchObject({
    expectedTotal: 4,
    bounds: { min: 4 },
    confidence: "high",
  });
});

it("says that one list, or none, tells nothing", () => {
  expect(estimateRecall({ captures: [["a", "b"]] })).toMatchObject({ expectedTotal: 2, confidence: "low" });
  expect(estimateRecall({ captures: [] })).toMatchObject({
    expectedTotal: 0,
    bounds: { min: 0, max: 0 },
    confidence: "low",
  });
});
