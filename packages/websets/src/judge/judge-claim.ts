import type { ClaimRegime, VerdictBars, VerdictModel } from "./claim-model.ts";
import { VERDICT_MODEL } from "./gen/verdict-model.ts";
import { measureClaim, type ClaimEvidence } from "./verdict-features.ts";
import type { Satisfied } from "./verdict.ts";

/** What a claim's words make of its evidence. */
export interface ClaimVerdict {
  readonly satisfied: Satisfied;
  /** Chances of yes, no and unclear. */
  readonly chances: readonly [number, number, number];
  /** Places of the sentences that have most of the claim, best first. */
  readonly best: readonly number[];
}

/** Judges a claim in free words by what sentences share with it and deny of it, with weights learnt from judged claims. */
export function judgeClaim(evidence: ClaimEvidence, bars: "strict" | "balanced" = "strict"): ClaimVerdict {
  const { features, best } = measureClaim(evidence);
  const model = VERDICT_MODEL[regimeOf(evidence)];
  const chances = chancesOf(model, features);
  return { satisfied: decide(model[bars], chances), chances, best };
}

const MAX_LONE_SENTENCES = 2;

/** Which model fits: by the form of the claim and the length of the evidence. */
export function regimeOf({ claim, sentences }: ClaimEvidence): ClaimRegime {
  if (claim.trim().endsWith("?")) return "question";
  return sentences.length <= MAX_LONE_SENTENCES ? "sentence" : "page";
}

/** The chances that a model gives to yes, no and unclear. */
export function chancesOf(
  model: Pick<VerdictModel, "means" | "deviations" | "weights">,
  features: readonly number[],
): readonly [number, number, number] {
  const scaled = features.map((value, index) => (value - (model.means[index] ?? 0)) / (model.deviations[index] ?? 1));
  const scores = model.weights.map((weights) =>
    scaled.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), weights[scaled.length] ?? 0),
  );
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  const [yes = 0, no = 0, unclear = 0] = powers.map((power) => power / total);
  return [yes, no, unclear];
}

/** The verdict by a model's bars. */
export function decide({ yesFrom, noFrom }: VerdictBars, [yes, no]: readonly [number, number, number]): Satisfied {
  if (yes >= yesFrom) return "yes";
  return no >= noFrom ? "no" : "unclear";
}
