/**
 * Learns how to judge claims in free words, on train parts alone, and writes
 * packages/websets/src/judge/gen/verdict-model.ts: `node tools/run-typescript.mjs tools/train-websets-verdicts.ts`.
 * Bars for yes and no are set by five-fold cross-validation within the train parts: for the best macro-F1, and, as the strict
 * ones, for the best among those whose yes is nearly always right.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { ClaimRegime, VerdictBars, VerdictModel } from "../packages/websets/src/judge/claim-model.ts";
import { chancesOf, decide } from "../packages/websets/src/judge/judge-claim.ts";
import { measureClaim } from "../packages/websets/src/judge/verdict-features.ts";
import { scoreVerdicts } from "./eval/websets-verdict-scores.ts";
import { readClaimSet, type JudgedClaim } from "./eval/websets-verdict-sets.ts";

const LABELS = ["yes", "no", "unclear"] as const;
const FOLDS = 5;
/** More teach a model of forty weights nothing new. */
const MAX_EXAMPLES = 1_500;
const STEPS = 120;
const RATE = 0.05;
const DECAYS = [0.01, 0.1];
const MIN_YES_PRECISION = 0.88;
/** Fewer verdicts than this share prove no precision. */
const MIN_YES_SHARE = 0.008;

interface Example {
  readonly features: readonly number[];
  readonly label: number;
}

type Fitted = Pick<VerdictModel, "means" | "deviations" | "weights">;

const SOURCES: Readonly<Record<ClaimRegime, "pubmedqa" | "climate-fever" | "wice-dev">> = {
  question: "pubmedqa",
  sentence: "climate-fever",
  page: "wice-dev",
};

const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
const models = Object.fromEntries(Object.entries(SOURCES).map(([regime, source]) => [regime, learn(regime, source)]));
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

function learn(regime: string, source: "pubmedqa" | "climate-fever" | "wice-dev"): VerdictModel {
  const set = readClaimSet(dataDir, source);
  if (set === undefined) throw new Error(`${source} is not in ${dataDir}`);
  const examples = set.claims
    .filter(({ split }) => split === "train")
    .filter((_, index, all) => index % Math.ceil(all.length / MAX_EXAMPLES) === 0)
    .map(toExample);
  const tried = DECAYS.map((decay) => {
    const chances = examples.map((): readonly [number, number, number] => [0, 0, 0]);
    for (let fold = 0; fold < FOLDS; fold += 1) {
      const fitted = fit(
        examples.filter((_, index) => index % FOLDS !== fold),
        decay,
      );
      for (const [index, { features }] of examples.entries())
        if (index % FOLDS === fold) chances[index] = chancesOf(fitted, features);
    }
    return {
      decay,
      chances,
      bars: findBars(examples, chances, MIN_YES_PRECISION),
      balanced: findBars(examples, chances, 0),
    };
  });
  const [best] = tried.sort((one, other) => other.balanced.value - one.balanced.value);
  if (best === undefined) throw new Error("nothing was tried");
  process.stdout.write(
    `${regime} (${source}, ${examples.length}): decay ${best.decay}, strict ${JSON.stringify(best.bars)}, balanced ${JSON.stringify(best.balanced)}\n`,
  );
  const fitted = fit(examples, best.decay);
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
  return { features: measureClaim(claim).features, label: LABELS.indexOf(claim.label) };
}

/** Multinomial logistic regression by Adam. */
function fit(examples: readonly Example[], decay: number): Fitted {
  const width = examples[0]?.features.length ?? 0;
  const columns = Array.from({ length: width }, (_, index) => examples.map(({ features }) => features[index] ?? 0));
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length);
  const deviations = columns.map(
    (column, index) =>
      Math.sqrt(column.reduce((sum, value) => sum + (value - (means[index] ?? 0)) ** 2, 0) / column.length) + 1e-6,
  );
  const rows = examples.map(({ features }) => [
    ...features.map((value, index) => (value - (means[index] ?? 0)) / (deviations[index] ?? 1)),
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
      const value = scores.macroF1 - 3 * Math.max(0, minYesPrecision - scores.yesPrecision);
      if (value > best.value) best = { ...bars, value, macroF1: scores.macroF1, yesPrecision: scores.yesPrecision };
    }
  }
  return best;
}
