import type { Candidate } from "../find/candidate.ts";

/** How fast places lose weight; the usual constant. */
const PLACE_OFFSET = 60;

/** Reciprocal rank fusion: the sum over both lists of 1 / (60 + place), brought to 0..1. Best first. */
export function fuseByPlaces(
  candidates: readonly Candidate[],
): readonly { readonly candidate: Candidate; readonly score: number }[] {
  const share = (place: number | null | undefined): number =>
    typeof place === "number" ? (PLACE_OFFSET + 1) / (PLACE_OFFSET + place) : 0;
  return candidates
    .map((candidate) => ({
      candidate,
      score: (share(candidate.words?.place) + share(candidate.meaning?.place)) / 2,
    }))
    .sort((one, other) => other.score - one.score);
}
