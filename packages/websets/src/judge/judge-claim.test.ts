import { expect, it } from "vitest";
import { judgeClaim } from "./judge-claim.ts";
import { measureClaim, type ClaimVectors } from "./verdict-features.ts";

const FILLER = Array.from({ length: 6 }, (_, index) => `Chapter ${index + 1} tells of other matters in the valley.`);
const CLAIM = "The bridge over the Weser near Hameln opened to traffic in 1934 with three arches.";

it("says yes to a claim that a page states, and not to one with a number that nobody gives", () => {
  const sentences = [...FILLER, "The bridge over the Weser near Hameln opened to traffic in 1934 with three arches."];
  expect(judgeClaim({ claim: CLAIM, sentences }).satisfied).toBe("yes");
  expect(judgeClaim({ claim: CLAIM.replace("1934", "1936"), sentences }).satisfied).not.toBe("yes");
  expect(judgeClaim({ claim: CLAIM.replace("in 1934", "the same year"), sentences }).satisfied).not.toBe("yes");
});

it("takes the sentence that carries a claim as the best of a few", () => {
  const sentences = [
    "Ships pass under it.",
    "Sea levels rise as the ice sheets of Greenland melt.",
    "It is cold there.",
  ];
  const evidence = { claim: "Melting ice sheets in Greenland raise sea levels.", sentences };
  expect(judgeClaim({ ...evidence, vectors: vectorsAt(0.2, 0.9, 0.1) })).toMatchObject({
    satisfied: "yes",
    best: [1, expect.any(Number), expect.any(Number)],
  });
  expect(judgeClaim({ ...evidence, vectors: vectorsAt(0.2, 0.3, 0.1) }).satisfied).not.toBe("yes");
});

it("asks a question's own vector what kind of question it is", () => {
  const sentences = ["We asked 80 patients.", "Patients who trained walked significantly farther (P<0.01)."];
  const evidence = { claim: "Does training help patients walk?", sentences };
  const alone = judgeClaim(evidence).chances;
  expect(judgeClaim({ ...evidence, vectors: vectorsAt() }).chances).not.toEqual(alone);
});

it("finds what stands against a plain yes", () => {
  const isBarred = (claim: string, ...sentences: readonly string[]): boolean =>
    measureClaim({ claim, sentences }).isBarred;
  const found = "Patients who trained walked significantly farther than controls (P<0.01).";
  expect(isBarred("Does training help patients walk?", "We asked 80 patients.", found)).toBe(false);
  const undone = "After adjustment for age the difference was no longer significant (P=0.40).";
  expect(isBarred("Does training help patients walk?", found, undone)).toBe(true);
  expect(isBarred("The glacier grows.", "The glacier grows every year.")).toBe(false);
  expect(isBarred("The glacier grows.", "The glacier does not grow.")).toBe(true);
  expect(isBarred("The glacier grows.", "The glacier grows, sceptics have claimed.")).toBe(true);
  expect(isBarred("The glacier is 12 km long.", "The glacier is 15 km long.")).toBe(true);
});

/** Vectors of a claim and of sentences that are so near to it, each number of them alike. */
function vectorsAt(...nearness: readonly number[]): ClaimVectors {
  const dimensions = 384;
  const even = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
  // one part along the claim, the rest across it
  const at = (near: number): Float32Array =>
    even.map((value, index) => value * (near + (index % 2 === 0 ? 1 : -1) * Math.sqrt(1 - near ** 2)));
  return { claim: even, sentences: nearness.map(at) };
}
