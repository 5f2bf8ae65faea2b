import type { ClaimRegime, VerdictBars, VerdictModel } from "./claim-model.ts";
import { VERDICT_MODEL } from "./gen/verdict-model.ts";
import {
  isQuestion,
  MAX_LIKENED_SENTENCES,
  MAX_LONE_SENTENCES,
  measureClaim,
  type ClaimEvidence,
  type VerdictMeasures,
} from "./verdict-features.ts";
import type { Satisfied } from "./verdict.ts";

/** What a claim's words make of its evidence. */
export interface ClaimVerdict {
  readonly satisfied: Satisfied;
  /** Chances of yes, no and unclear; of a few sentences each judged alone, as `together` has them. */
  readonly chances: Chances;
  /** Places of the sentences that have most of the claim, best first. */
  readonly best: readonly number[];
}

/** Chances of yes, no and unclear. */
export type Chances = readonly [number, number, number];

/** Which bars decide: for a yes that is nearly always right, or for yes, no and unclear alike. */
export type BarsName = "strict" | "balanced";

/**
 * Judges a claim in free words by what sentences share with it and deny of it, with weights learnt from judged claims. Strict
 * bars never say yes where something stands against it.
 */
export function judgeClaim(evidence: ClaimEvidence, bars: BarsName = "strict"): ClaimVerdict {
  const regime = regimeOf(evidence);
  const model = VERDICT_MODEL[regime];
  const { chances, best } = chancesOfClaim(model, regime, { evidence, bars });
  return { satisfied: decide(model[bars], chances), chances, best };
}

/** Which model fits: by the form of the claim, the length of the evidence and what is known of it. */
export function regimeOf({ claim, sentences, vectors }: ClaimEvidence): ClaimRegime {
  if (isQuestion(claim)) return vectors === undefined ? "question" : "likenedQuestion";
  if (vectors !== undefined && sentences.length > 0 && sentences.length <= MAX_LIKENED_SENTENCES)
    return sentences.length === 1 ? "likenedSentence" : "likenedFew";
  return sentences.length <= MAX_LONE_SENTENCES ? "sentence" : "page";
}

/** The chances of a claim by a model: with strict bars no chance of yes is left where something stands against it. */
export function chancesOfClaim(
  model: Weights,
  regime: ClaimRegime,
  { evidence, bars }: { readonly evidence: ClaimEvidence; readonly bars: BarsName },
): { readonly chances: Chances; readonly best: readonly number[] } {
  if (regime !== "likenedFew") {
    const measures = measureClaim(evidence);
    return { chances: barYes(chancesOf(model, measures), measures.isBarred && bars === "strict"), best: measures.best };
  }
  const { claim, sentences, vectors } = evidence;
  const each = sentences.map((sentence, index) => {
    const own = vectors && { claim: vectors.claim, sentences: vectors.sentences.slice(index, index + 1) };
    const measures = measureClaim({ claim, sentences: [sentence], vectors: own });
    return barYes(chancesOf(model, measures), measures.isBarred && bars === "strict");
  });
  const best = each.map((_, index) => index).sort((one, other) => (each[other]?.[0] ?? 0) - (each[one]?.[0] ?? 0));
  return { chances: together(each), best };
}

function barYes([yes, no, unclear]: Chances, isBarred: boolean): Chances {
  return isBarred ? [0, no, unclear] : [yes, no, unclear];
}

/** The chances of a few sentences together: one that carries the claim is enough, and one of them all may deny it. */
export function together(each: readonly Chances[]): Chances {
  const most = (place: 0 | 2): number => Math.max(0, ...each.map((chances) => chances[place]));
  return [most(0), 1 - each.reduce((none, [, no]) => none * (1 - no), 1), most(2)];
}

type Weights = Pick<VerdictModel, "means" | "deviations" | "weights" | "vectorWeights">;

/** The chances that a model gives to yes, no and unclear. */
export function chancesOf(model: Weights, { features, vector }: Pick<VerdictMeasures, "features" | "vector">): Chances {
  const scaled = features.map((value, index) => (value - (model.means[index] ?? 0)) / (model.deviations[index] ?? 1));
  const scores = model.weights.map((weights, label) => {
    const more = model.vectorWeights?.[label];
    let score = weights[scaled.length] ?? 0;
    for (const [index, value] of scaled.entries()) score += value * (weights[index] ?? 0);
    if (vector !== undefined && more !== undefined)
      for (const [index, value] of vector.entries()) score += value * (more[index] ?? 0);
    return score;
  });
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  const [yes = 0, no = 0, unclear = 0] = powers.map((power) => power / total);
  return [yes, no, unclear];
}

/** The verdict by a model's bars. */
export function decide({ yesFrom, noFrom }: VerdictBars, [yes, no]: Chances): Satisfied {
  if (yes >= yesFrom) return "yes";
  return no >= noFrom ? "no" : "unclear";
}
