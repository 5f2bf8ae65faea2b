/**
 * Learns how to judge claims in free words, on train parts alone, and writes
 * packages/websets/src/judge/gen/verdict-model.ts: `node tools/run-typescript.mjs tools/train-websets-verdicts.ts`.
 * Decay and bars are set by repeated five-fold cross-validation within the train parts, all sentences of a claim in one fold: for
 * the best macro-F1, and, as the strict bars, for the yes that is most surely right while macro-F1 keeps its target.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ALIGNMENT_FEATURES } from "../packages/websets/src/judge/claim-alignment.ts";
import type { ClaimRegime, VerdictBars, VerdictModel } from "../packages/websets/src/judge/claim-model.ts";
import { STANCE_FEATURES } from "../packages/websets/src/judge/claim-stance.ts";
import { embedClaim } from "../packages/websets/src/judge/embed-claim.ts";
import { chancesOf, decide, together, type BarsName, type Chances } from "../packages/websets/src/judge/judge-claim.ts";
import { CLAUSE_FEATURES } from "../packages/websets/src/judge/study-clauses.ts";
import { STUDY_FEATURES } from "../packages/websets/src/judge/study-results.ts";
import {
  LIKENESS_FEATURES,
  measureClaim,
  OVERLAP_FEATURES,
  VERDICT_FEATURES,
  type VerdictMeasures,
} from "../packages/websets/src/judge/verdict-features.ts";
import { openCachedEmbedder } from "./eval/cached-embedder.ts";
import { scoreVerdicts } from "./eval/websets-verdict-scores.ts";
import { readClaimSets, type JudgedClaim } from "./eval/websets-verdict-sets.ts";

const LABELS = ["yes", "no", "unclear"] as const;
const FOLDS = 5;
/** Few examples are split into folds anew, several times, so that chance evens out. */
const MAX_REPEATS = 8;
const REPEATED_EXAMPLES = 8_000;
const STEPS = 150;
const RATE = 0.05;
const DECAYS = [0.03, 0.1, 0.3, 1];
/** By how much macro-F1 must be above the majority's with strict bars: what is promised, and a little for chance. */
const MIN_GAIN = 0.165;
const PROMISED_YES_PRECISION = 0.8;
/** Where strict bars cannot keep both, a wrong yes costs three times what it gains. */
const MIN_YES_PRECISION = 0.88;
/** One-sided 90 %: how sure a precision is counts, not only how high it was. */
const CONFIDENCE = 1.28;
/** What a point of macro-F1 is worth beside one of the precision of yes. */
const MACRO_F1_VALUE = 0.3;
/** Fewer verdicts than this share prove no precision. */
const MIN_YES_SHARE = 0.008;

/** How much of what is to be learnt is a second person's verdict, where there is one. */
const SECOND_SHARE = 0.3;

/** What is judged in one piece: a sentence, or a page. */
interface Example extends Pick<VerdictMeasures, "features" | "isBarred" | "vector"> {
  readonly label: number;
  /** How far each verdict is right. */
  readonly target: readonly number[];
  readonly claim: string;
}

/** What is measured, and how much the numbers of vectors weigh beside it: there are many of them, and each tells little. */
interface Measured {
  readonly places: readonly number[];
  readonly vectorScale: number;
}

/** A verdict to be given: over one example, or over a few together. */
interface Case {
  readonly examples: readonly number[];
  readonly label: number;
}

type Fitted = Pick<VerdictModel, "means" | "deviations" | "weights" | "vectorWeights">;

/** What stands beside likeness: how much of the claim is said, and what is denied, doubted or overstated. */
const LIKENED_MEASURES = [
  ...LIKENESS_FEATURES,
  "firstShare",
  "bigramCoverage",
  "numberCoverage",
  "numberMissing",
  "negationDiffers",
  "claimNegated",
  "evidenceNegated",
  "doubt",
  "claimAbsolute",
  "claimWords",
  "shareWords",
  ...STANCE_FEATURES,
];

/** What tells verdicts apart, chosen on train parts: few measures where there are few examples. */
const MEASURES: Readonly<Record<ClaimRegime, ReadonlySet<string>>> = {
  question: new Set([...STUDY_FEATURES, ...CLAUSE_FEATURES, ...ALIGNMENT_FEATURES]),
  likenedQuestion: new Set([...STUDY_FEATURES, ...CLAUSE_FEATURES, ...ALIGNMENT_FEATURES]),
  sentence: new Set([...OVERLAP_FEATURES, ...ALIGNMENT_FEATURES, ...STANCE_FEATURES]),
  page: new Set(["threeShare", "bestCoverage", "missingShare", "namesMissingShare", "yearsMissing", "parts"]),
  likenedSentence: new Set(LIKENED_MEASURES),
  likenedFew: new Set(LIKENED_MEASURES),
};

/** Chosen on train parts too. */
const VECTOR_SCALES: Readonly<Partial<Record<ClaimRegime, number>>> = {
  likenedQuestion: 0.3,
  likenedSentence: 0.15,
  likenedFew: 0.15,
};

/** What was found for examples already: two regimes may learn from the same ones. */
const known = new WeakMap<readonly Example[], Map<string, readonly Chances[]>>();

const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
const embedder = openCachedEmbedder("claims", (line) => process.stdout.write(`${line}\n`));
const [wice] = read("wice-dev");
const [climate, climateSentences] = read("climate-fever");
const [pubMedQa] = read("pubmedqa");
const alone = await toExamples(climateSentences ?? []);
const likened = await toExamples(climateSentences ?? [], "likened");
const models: Readonly<Record<ClaimRegime, VerdictModel>> = {
  question: learn("question", await toExamples(pubMedQa)),
  likenedQuestion: learn("likenedQuestion", await toExamples(pubMedQa, "likened")),
  sentence: learn("sentence", alone),
  page: learn("page", await toExamples(wice)),
  likenedSentence: learn("likenedSentence", likened),
  likenedFew: learn("likenedFew", likened, groupByClaim(climate)),
};
await embedder.close();
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

/** The train parts of a folder's sets. */
function read(
  name: Parameters<typeof readClaimSets>[1],
): readonly [readonly JudgedClaim[], ...(readonly JudgedClaim[])[]] {
  const sets = readClaimSets(dataDir, name);
  if (sets === undefined) throw new Error(`${name} is not in ${dataDir}`);
  const [first, ...others] = sets.map(({ claims }) => claims.filter(({ split }) => split === "train"));
  return [first ?? [], ...others];
}

async function toExamples(claims: readonly JudgedClaim[], kind?: "likened"): Promise<readonly Example[]> {
  const examples: Example[] = [];
  for (const claim of claims) {
    const vectors = kind === undefined ? undefined : await embedClaim(embedder.embed, claim);
    const share = claim.second === undefined ? 0 : SECOND_SHARE;
    examples.push({
      ...measureClaim({ ...claim, vectors }),
      label: LABELS.indexOf(claim.label),
      target: LABELS.map(
        (label) => (1 - share) * Number(claim.label === label) + share * Number(claim.second === label),
      ),
      claim: claim.claim,
    });
  }
  return examples;
}

/** Claims as cases over the examples of their sentences. */
function groupByClaim(claims: readonly JudgedClaim[]): readonly Case[] {
  return claims.map(({ claim, label }) => ({
    examples: likened.flatMap((example, index) => (example.claim === claim ? [index] : [])),
    label: LABELS.indexOf(label),
  }));
}

function learn(regime: ClaimRegime, examples: readonly Example[], groups?: readonly Case[]): VerdictModel {
  const measured = {
    places: VERDICT_FEATURES.flatMap((name, index) => (MEASURES[regime].has(name) ? [index] : [])),
    vectorScale: VECTOR_SCALES[regime] ?? 0,
  };
  const cases = groups ?? examples.map(({ label }, index) => ({ examples: [index], label }));
  const repeats = Math.max(1, Math.min(MAX_REPEATS, Math.floor(REPEATED_EXAMPLES / examples.length)));
  const labels = Array.from({ length: repeats }, () => cases.map(({ label }) => label)).flat();
  const tried = DECAYS.map((decay) => {
    const rounds = Array.from({ length: repeats }, (_, repeat) => crossValidate(examples, measured, { decay, repeat }));
    const chances = (bars: BarsName): readonly Chances[] =>
      rounds.flatMap((round) =>
        cases.map((one) => together(one.examples.flatMap((index) => barred(round[index], examples[index], bars)))),
      );
    return {
      decay,
      strict: findBars(labels, chances("strict"), { name: "strict", repeats }),
      balanced: findBars(labels, chances("balanced"), { name: "balanced", repeats }),
    };
  });
  const [best] = tried.sort(
    (one, other) => other.balanced.value + other.strict.value - one.balanced.value - one.strict.value,
  );
  if (best === undefined) throw new Error("nothing was tried");
  process.stdout.write(
    `${regime} (${cases.length} of ${examples.length}): decay ${best.decay}, strict ${JSON.stringify(best.strict)}, balanced ${JSON.stringify(best.balanced)}\n`,
  );
  const fitted = fit(examples, measured, best.decay);
  const short = (values: readonly number[]): readonly number[] => values.map((value) => Number(value.toPrecision(4)));
  return {
    means: short(fitted.means),
    deviations: short(fitted.deviations),
    weights: fitted.weights.map(short),
    ...(fitted.vectorWeights && { vectorWeights: fitted.vectorWeights.map(short) }),
    strict: barsOf(best.strict),
    balanced: barsOf(best.balanced),
  };
}

function barsOf({ yesFrom, noFrom }: VerdictBars): VerdictBars {
  return { yesFrom, noFrom };
}

/** Strict bars leave no chance of yes where something stands against it. */
function barred(chances: Chances | undefined, example: Example | undefined, bars: BarsName): readonly Chances[] {
  if (chances === undefined) return [];
  const [yes, no, unclear] = chances;
  return [[bars === "strict" && example?.isBarred === true ? 0 : yes, no, unclear]];
}

/** The chances that models give to examples they have not seen. */
function crossValidate(
  examples: readonly Example[],
  measured: Measured,
  options: { readonly decay: number; readonly repeat: number },
): readonly Chances[] {
  const own = known.get(examples) ?? new Map<string, readonly Chances[]>();
  known.set(examples, own);
  const key = JSON.stringify([measured, options]);
  const chances = own.get(key) ?? crossValidateAnew(examples, measured, options);
  own.set(key, chances);
  return chances;
}

function crossValidateAnew(
  examples: readonly Example[],
  measured: Measured,
  { decay, repeat }: { readonly decay: number; readonly repeat: number },
): readonly Chances[] {
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
  return examples.map((example, index) => {
    const model = models[folds[index] ?? 0];
    return model === undefined ? [0, 0, 1] : chancesOf(model, example);
  });
}

/** Multinomial logistic regression by Adam; what is not measured has no weight. */
function fit(examples: readonly Example[], { places, vectorScale }: Measured, decay: number): Fitted {
  const features = examples.map((example) => example.features);
  const { means, deviations } = spreadOf(features);
  const vectors = vectorScale === 0 ? [] : examples.map(({ vector }) => vector ?? []);
  const spread = spreadOf(vectors);
  const rows = examples.map((example, at) => {
    const plain = places.map((place) => scale(example.features[place], means[place], deviations[place]));
    const more = Array.from(vectors[at] ?? [], (value, index) =>
      scale(value * vectorScale, (spread.means[index] ?? 0) * vectorScale, spread.deviations[index]),
    );
    return Float64Array.from([...plain, ...more, 1]);
  });
  const weights = descend(
    rows,
    examples.map(({ target }) => target),
    decay,
  );
  return {
    means,
    deviations,
    weights: weights.map((own) => {
      // vectors come as they are: what scaling takes from them is in their weights and in the constant
      const shift = spread.means.map(
        (mean, index) => ((own[places.length + index] ?? 0) * vectorScale * mean) / (spread.deviations[index] ?? 1),
      );
      const all: number[] = means.map(() => 0);
      for (const [index, place] of places.entries()) all[place] = own[index] ?? 0;
      return [...all, shift.reduce((rest, value) => rest - value, own.at(-1) ?? 0)];
    }),
    ...(vectorScale > 0 && {
      vectorWeights: weights.map((own) =>
        spread.deviations.map((deviation, index) => ((own[places.length + index] ?? 0) * vectorScale) / deviation),
      ),
    }),
  };
}

function scale(value = 0, mean = 0, deviation = 1): number {
  return (value - mean) / deviation;
}

/** Means and deviations, column by column. */
function spreadOf(rows: readonly ArrayLike<number>[]): Pick<Fitted, "means" | "deviations"> {
  const columns = Array.from({ length: rows[0]?.length ?? 0 }, (_, index) => rows.map((row) => row[index] ?? 0));
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length);
  const deviations = columns.map(
    (column, index) =>
      Math.sqrt(column.reduce((sum, value) => sum + (value - (means[index] ?? 0)) ** 2, 0) / column.length) + 1e-6,
  );
  return { means, deviations };
}

/** The weights of yes, no and unclear over rows that end with the constant. */
function descend(
  rows: readonly Float64Array[],
  targets: readonly (readonly number[])[],
  decay: number,
): readonly (readonly number[])[] {
  const width = rows[0]?.length ?? 0;
  const size = width * LABELS.length;
  const weights = new Float64Array(size);
  const first = new Float64Array(size);
  const second = new Float64Array(size);
  const scores = new Float64Array(LABELS.length);
  for (let step = 1; step <= STEPS; step += 1) {
    const slope = new Float64Array(size);
    for (const [at, row] of rows.entries()) {
      for (const label of LABELS.keys()) {
        let sum = 0;
        for (let index = 0; index < width; index += 1) sum += (row[index] ?? 0) * (weights[label * width + index] ?? 0);
        scores[label] = sum;
      }
      const most = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - most));
      const total = powers.reduce((sum, power) => sum + power, 0);
      for (const label of LABELS.keys()) {
        const error = ((powers[label] ?? 0) / total - (targets[at]?.[label] ?? 0)) / rows.length;
        for (let index = 0; index < width; index += 1)
          slope[label * width + index] = (slope[label * width + index] ?? 0) + error * (row[index] ?? 0);
      }
    }
    for (let index = 0; index < size; index += 1) {
      // the constant is free: it holds how often each verdict is right
      const pull = index % width === width - 1 ? 0 : decay * (weights[index] ?? 0);
      const steep = (slope[index] ?? 0) + pull;
      first[index] = 0.9 * (first[index] ?? 0) + 0.1 * steep;
      second[index] = 0.999 * (second[index] ?? 0) + 0.001 * steep ** 2;
      weights[index] =
        (weights[index] ?? 0) -
        (RATE * ((first[index] ?? 0) / (1 - 0.9 ** step))) /
          (Math.sqrt((second[index] ?? 0) / (1 - 0.999 ** step)) + 1e-8);
    }
  }
  return LABELS.map((_, label) => Array.from(weights.subarray(label * width, (label + 1) * width)));
}

/** The macro-F1 of saying what is said most. */
function majorityF1(labels: readonly number[]): number {
  const most = Math.max(...LABELS.map((_, label) => labels.filter((one) => one === label).length));
  return (2 * most) / (labels.length + most) / LABELS.length;
}

/** The share that is surely reached when `right` of `count` were right (Wilson's lower bound). */
function surely(share: number, count: number): number {
  const square = CONFIDENCE ** 2;
  const middle = share + square / (2 * count);
  const spread = CONFIDENCE * Math.sqrt((share * (1 - share) + square / (4 * count)) / count);
  return count === 0 ? 0 : (middle - spread) / (1 + square / count);
}

function findBars(
  labels: readonly number[],
  chances: readonly Chances[],
  { name, repeats }: { readonly name: BarsName; readonly repeats: number },
): VerdictBars & {
  readonly value: number;
  readonly macroF1: number;
  readonly yesPrecision: number;
  readonly yesCount: number;
  readonly gain: number;
} {
  const majority = majorityF1(labels);
  let best = { yesFrom: 1, noFrom: 1, value: -Infinity, macroF1: 0, yesPrecision: 0, yesCount: 0, gain: 0 };
  for (let yesFrom = 0.2; yesFrom < 0.97; yesFrom += 0.01) {
    for (let noFrom = 0.04; noFrom < 0.8; noFrom += 0.02) {
      const bars = { yesFrom: Number(yesFrom.toFixed(2)), noFrom: Number(noFrom.toFixed(2)) };
      const scores = scoreVerdicts(
        labels.map((label, index) => ({
          label: LABELS[label] ?? "unclear",
          said: decide(bars, chances[index] ?? [0, 0, 1]),
        })),
      );
      const { macroF1, yesPrecision } = scores;
      const yesCount = scores.yesCount / repeats;
      if (scores.yesCount < labels.length * MIN_YES_SHARE) continue;
      const value =
        name === "balanced"
          ? macroF1
          : macroF1 >= majority + MIN_GAIN && yesPrecision >= PROMISED_YES_PRECISION
            ? 1 + surely(yesPrecision, yesCount) + MACRO_F1_VALUE * macroF1
            : macroF1 - 3 * Math.max(0, MIN_YES_PRECISION - yesPrecision);
      if (value > best.value) best = { ...bars, value, macroF1, yesPrecision, yesCount, gain: macroF1 - majority };
    }
  }
  return best;
}
