/**
 * Learns how to judge claims in free words, on train parts alone, and writes
 * packages/websets/src/judge/gen/verdict-model.ts: `node tools/run-typescript.mjs tools/train-websets-verdicts.ts`.
 * Decay and bars are set by repeated five-fold cross-validation within the train parts, all sentences of a claim in one fold: for
 * the best macro-F1, and, as the strict bars, for the yes that is right most often while macro-F1 keeps its target.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { ClaimRegime, VerdictBars, VerdictModel } from "../packages/websets/src/judge/claim-model.ts";
import { chancesOf, decide } from "../packages/websets/src/judge/judge-claim.ts";
import { ALIGNMENT_FEATURES } from "../packages/websets/src/judge/claim-alignment.ts";
import { STUDY_FEATURES } from "../packages/websets/src/judge/study-results.ts";
import { measureClaim, OVERLAP_FEATURES, VERDICT_FEATURES } from "../packages/websets/src/judge/verdict-features.ts";
import { scoreVerdicts } from "./eval/websets-verdict-scores.ts";
import { readClaimSet, type JudgedClaim } from "./eval/websets-verdict-sets.ts";

const LABELS = ["yes", "no", "unclear"] as const;
const FOLDS = 5;
/** Few examples are split into folds anew, several times, so that chance evens out. */
const MAX_REPEATS = 4;
const REPEATED_EXAMPLES = 4_000;
const STEPS = 120;
const RATE = 0.05;
const DECAYS = [0.01, 0.1, 0.3, 1];
/** What strict bars are to reach where they can; where they cannot, a wrong yes costs three times what it gains. */
const MIN_YES_PRECISION = 0.88;
const PROMISED_YES_PRECISION = 0.8;
/** By how much macro-F1 must be above the majority's: what is promised, and a little for chance. */
const MIN_GAIN = 0.17;
/** A share of few verdicts counts for less. */
const FEW_VERDICTS = 4;
/** Fewer verdicts than this share prove no precision. */
const MIN_YES_SHARE = 0.008;

interface Example {
  readonly features: readonly number[];
  readonly label: number;
  readonly claim: string;
}

type Fitted = Pick<VerdictModel, "means" | "deviations" | "weights">;

const SOURCES: Readonly<Record<ClaimRegime, "pubmedqa" | "climate-fever" | "wice-dev">> = {
  question: "pubmedqa",
  sentence: "climate-fever",
  page: "wice-dev",
};

/** What tells verdicts apart, chosen on train parts: few measures where there are few examples. */
const MEASURES: Readonly<Record<ClaimRegime, ReadonlySet<string>>> = {
  question: new Set([...STUDY_FEATURES, ...ALIGNMENT_FEATURES]),
  sentence: new Set([...OVERLAP_FEATURES, ...ALIGNMENT_FEATURES]),
  page: new Set(ALIGNMENT_FEATURES),
};

const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
const models: Readonly<Record<ClaimRegime, VerdictModel>> = {
  question: learn("question"),
  sentence: learn("sentence"),
  page: learn("page"),
};
const file = path.join("packages", "websets", "src", "judge", "gen", "verdict-model.ts");
writeFileSync(
  file,
  `// Made by tools/train-websets-verdicts.ts from train parts; do not edit.
import type { ClaimRegime, VerdictModel } from "../claim-model.ts";

/** What judging has learnt, by what is judged. */
export const VERDICT_MODEL: Readonly<Record<ClaimRegime, VerdictModel>> = ${JSON.stringify(models).replaceAll(/"(\w+)":/g, "$1:")};
`,
);
process.stdout.write(`wrote ${file}\n`);

function learn(regime: ClaimRegime): VerdictModel {
  const source = SOURCES[regime];
  const set = readClaimSet(dataDir, source);
  if (set === undefined) throw new Error(`${source} is not in ${dataDir}`);
  const measured = VERDICT_FEATURES.map((name) => MEASURES[regime].has(name));
  const examples = set.claims.filter(({ split }) => split === "train").map(toExample);
  const repeats = Math.min(MAX_REPEATS, Math.floor(REPEATED_EXAMPLES / examples.length));
  const repeated = Array.from({ length: repeats }, () => examples).flat();
  const tried = DECAYS.map((decay) => {
    const chances = Array.from({ length: repeats }, (_, repeat) =>
      crossValidate(examples, measured, decay, repeat),
    ).flat();
    return {
      decay,
      bars: findBars(repeated, chances, MIN_YES_PRECISION),
      balanced: findBars(repeated, chances, 0),
    };
  });
  const [best] = tried.sort(
    (one, other) => other.balanced.value + other.bars.value - one.balanced.value - one.bars.value,
  );
  if (best === undefined) throw new Error("nothing was tried");
  process.stdout.write(
    `${regime} (${source}, ${examples.length}): decay ${best.decay}, strict ${JSON.stringify(best.bars)}, balanced ${JSON.stringify(best.balanced)}\n`,
  );
  const fitted = fit(examples, measured, best.decay);
  const short = (values: readonly number[]): readonly number[] => values.map((value) => Number(value.toPrecision(4)));
  return {
    means: short(fitted.means),
    deviations: short(fitted.deviations),
    weights: fitted.weights.map(short),
    strict: barsOf(best.bars),
    balanced: barsOf(best.balanced),
  };
}

function barsOf({ yesFrom, noFrom }: VerdictBars): VerdictBars {
  return { yesFrom, noFrom };
}

function toExample(claim: JudgedClaim): Example {
  return { features: measureClaim(claim).features, label: LABELS.indexOf(claim.label), claim: claim.claim };
}

/** The chances that models give to examples they have not seen. */
function crossValidate(
  examples: readonly Example[],
  measured: readonly boolean[],
  decay: number,
  repeat: number,
): readonly (readonly [number, number, number])[] {
  const folds = examples.map(
    ({ claim }) => (createHash("sha256").update(`${repeat} ${claim}`).digest()[0] ?? 0) % FOLDS,
  );
  const models = Array.from({ length: FOLDS }, (_, fold) =>
    fit(
      examples.filter((__, index) => folds[index] !== fold),
      measured,
      decay,
    ),
  );
  return examples.map(({ features }, index) => {
    const model = models[folds[index] ?? 0];
    return model === undefined ? [0, 0, 1] : chancesOf(model, features);
  });
}

/** Multinomial logistic regression by Adam; what is not measured has no weight. */
function fit(examples: readonly Example[], measured: readonly boolean[], decay: number): Fitted {
  const width = examples[0]?.features.length ?? 0;
  const columns = Array.from({ length: width }, (_, index) => examples.map(({ features }) => features[index] ?? 0));
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length);
  const deviations = columns.map(
    (column, index) =>
      Math.sqrt(column.reduce((sum, value) => sum + (value - (means[index] ?? 0)) ** 2, 0) / column.length) + 1e-6,
  );
  const rows = examples.map(({ features }) => [
    ...features.map((value, index) =>
      measured[index] === true ? (value - (means[index] ?? 0)) / (deviations[index] ?? 1) : 0,
    ),
    1,
  ]);
  const size = (width + 1) * LABELS.length;
  const weights = new Float64Array(size);
  const first = new Float64Array(size);
  const second = new Float64Array(size);
  for (let step = 1; step <= STEPS; step += 1) {
    const slope = new Float64Array(size);
    for (const [at, row] of rows.entries()) {
      const scores = LABELS.map((_, label) =>
        row.reduce((sum, value, index) => sum + value * (weights[label * (width + 1) + index] ?? 0), 0),
      );
      const most = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - most));
      const total = powers.reduce((sum, power) => sum + power, 0);
      for (const label of LABELS.keys()) {
        const error = (powers[label] ?? 0) / total - Number(examples[at]?.label === label);
        for (const [index, value] of row.entries())
          slope[label * (width + 1) + index] =
            (slope[label * (width + 1) + index] ?? 0) + (error * value) / rows.length;
      }
    }
    for (let index = 0; index < size; index += 1) {
      const steep = (slope[index] ?? 0) + decay * (weights[index] ?? 0);
      first[index] = 0.9 * (first[index] ?? 0) + 0.1 * steep;
      second[index] = 0.999 * (second[index] ?? 0) + 0.001 * steep ** 2;
      weights[index] =
        (weights[index] ?? 0) -
        (RATE * ((first[index] ?? 0) / (1 - 0.9 ** step))) /
          (Math.sqrt((second[index] ?? 0) / (1 - 0.999 ** step)) + 1e-8);
    }
  }
  return {
    means,
    deviations,
    weights: LABELS.map((_, label) => Array.from(weights.slice(label * (width + 1), (label + 1) * (width + 1)))),
  };
}

/** The macro-F1 of saying what is said most. */
function majorityF1(examples: readonly Example[]): number {
  const most = Math.max(...LABELS.map((_, label) => examples.filter((one) => one.label === label).length));
  return (2 * most) / (examples.length + most) / LABELS.length;
}

function findBars(
  examples: readonly Example[],
  chances: readonly (readonly [number, number, number])[],
  minYesPrecision: number,
): {
  readonly yesFrom: number;
  readonly noFrom: number;
  readonly value: number;
  readonly macroF1: number;
  readonly yesPrecision: number;
} {
  const target = majorityF1(examples) + MIN_GAIN;
  let best = { yesFrom: 1, noFrom: 1, value: -Infinity, macroF1: 0, yesPrecision: 0 };
  for (let yesFrom = 0.2; yesFrom < 0.97; yesFrom += 0.03) {
    for (let noFrom = 0.04; noFrom < 0.8; noFrom += 0.04) {
      const bars = { yesFrom: Number(yesFrom.toFixed(2)), noFrom: Number(noFrom.toFixed(2)) };
      const scores = scoreVerdicts(
        examples.map(({ label }, index) => ({
          label: LABELS[label] ?? "unclear",
          said: decide(bars, chances[index] ?? [0, 0, 1]),
        })),
      );
      if (scores.yesCount < examples.length * MIN_YES_SHARE) continue;
      const keepsTarget = scores.yesPrecision >= PROMISED_YES_PRECISION && scores.macroF1 >= target;
      const value =
        minYesPrecision > 0 && keepsTarget
          ? 1 + scores.macroF1 + (scores.yesPrecision * scores.yesCount) / (scores.yesCount + FEW_VERDICTS)
          : scores.macroF1 - 3 * Math.max(0, minYesPrecision - scores.yesPrecision);
      if (value > best.value) best = { ...bars, value, macroF1: scores.macroF1, yesPrecision: scores.yesPrecision };
    }
  }
  return best;
}
