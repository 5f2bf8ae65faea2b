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
import { chancesOf, decide, highest, type BarsName, type Chances } from "../packages/websets/src/judge/judge-claim.ts";
import { likenSentences } from "../packages/websets/src/judge/liken-sentences.ts";
import { CLAUSE_FEATURES } from "../packages/websets/src/judge/study-clauses.ts";
import { STUDY_FEATURES } from "../packages/websets/src/judge/study-results.ts";
import {
  LIKENESS_FEATURES,
  measureClaim,
  OVERLAP_FEATURES,
  VERDICT_FEATURES,
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

/** What is judged in one piece: a sentence, or a page. */
interface Example {
  readonly features: readonly number[];
  readonly isBarred: boolean;
  readonly label: number;
  readonly claim: string;
}

/** A verdict to be given: over one example, or over a few of which the highest chances count. */
interface Case {
  readonly examples: readonly number[];
  readonly label: number;
}

type Fitted = Pick<VerdictModel, "means" | "deviations" | "weights">;

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
];

/** What tells verdicts apart, chosen on train parts: few measures where there are few examples. */
const MEASURES: Readonly<Record<ClaimRegime, ReadonlySet<string>>> = {
  question: new Set([...STUDY_FEATURES, ...CLAUSE_FEATURES, ...ALIGNMENT_FEATURES]),
  sentence: new Set([...OVERLAP_FEATURES, ...ALIGNMENT_FEATURES]),
  page: new Set(["threeShare", "bestCoverage", "missingShare", "namesMissingShare", "yearsMissing", "parts"]),
  likenedSentence: new Set(LIKENED_MEASURES),
  likenedFew: new Set(LIKENED_MEASURES),
};

const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
const embedder = openCachedEmbedder("claims", (line) => process.stdout.write(`${line}\n`));
const [wice] = read("wice-dev");
const [climate, climateSentences] = read("climate-fever");
const [pubMedQa] = read("pubmedqa");
const alone = await toExamples(climateSentences ?? []);
const likened = await toExamples(climateSentences ?? [], "likened");
const models: Readonly<Record<ClaimRegime, VerdictModel>> = {
  question: learn("question", await toExamples(pubMedQa)),
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
    const likeness = kind === undefined ? undefined : await likenSentences(embedder.embed, claim);
    const { features, isBarred } = measureClaim({ ...claim, likeness });
    examples.push({ features, isBarred, label: LABELS.indexOf(claim.label), claim: claim.claim });
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
  const measured = VERDICT_FEATURES.flatMap((name, index) => (MEASURES[regime].has(name) ? [index] : []));
  const cases = groups ?? examples.map(({ label }, index) => ({ examples: [index], label }));
  const repeats = Math.max(1, Math.min(MAX_REPEATS, Math.floor(REPEATED_EXAMPLES / examples.length)));
  const labels = Array.from({ length: repeats }, () => cases.map(({ label }) => label)).flat();
  const tried = DECAYS.map((decay) => {
    const rounds = Array.from({ length: repeats }, (_, repeat) => crossValidate(examples, measured, { decay, repeat }));
    const chances = (bars: BarsName): readonly Chances[] =>
      rounds.flatMap((round) =>
        cases.map((one) => highest(one.examples.flatMap((index) => barred(round[index], examples[index], bars)))),
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
  measured: readonly number[],
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
  return examples.map(({ features }, index) => {
    const model = models[folds[index] ?? 0];
    return model === undefined ? [0, 0, 1] : chancesOf(model, features);
  });
}

/** Multinomial logistic regression by Adam; what is not measured has no weight. */
function fit(examples: readonly Example[], measured: readonly number[], decay: number): Fitted {
  const all = examples[0]?.features.length ?? 0;
  const columns = Array.from({ length: all }, (_, index) => examples.map(({ features }) => features[index] ?? 0));
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / column.length);
  const deviations = columns.map(
    (column, index) =>
      Math.sqrt(column.reduce((sum, value) => sum + (value - (means[index] ?? 0)) ** 2, 0) / column.length) + 1e-6,
  );
  const width = measured.length;
  const rows = examples.map(({ features }) =>
    Float64Array.from([
      ...measured.map((index) => ((features[index] ?? 0) - (means[index] ?? 0)) / (deviations[index] ?? 1)),
      1,
    ]),
  );
  const size = (width + 1) * LABELS.length;
  const weights = new Float64Array(size);
  const first = new Float64Array(size);
  const second = new Float64Array(size);
  for (let step = 1; step <= STEPS; step += 1) {
    const slope = new Float64Array(size);
    for (const [at, row] of rows.entries()) {
      const scores = LABELS.map((_, label) => {
        let sum = 0;
        for (let index = 0; index <= width; index += 1)
          sum += (row[index] ?? 0) * (weights[label * (width + 1) + index] ?? 0);
        return sum;
      });
      const most = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - most));
      const total = powers.reduce((sum, power) => sum + power, 0);
      for (const label of LABELS.keys()) {
        const error = ((powers[label] ?? 0) / total - Number(examples[at]?.label === label)) / rows.length;
        for (let index = 0; index <= width; index += 1)
          slope[label * (width + 1) + index] = (slope[label * (width + 1) + index] ?? 0) + error * (row[index] ?? 0);
      }
    }
    for (let index = 0; index < size; index += 1) {
      // the constant is free: it holds how often each verdict is right
      const pull = index % (width + 1) === width ? 0 : decay * (weights[index] ?? 0);
      const steep = (slope[index] ?? 0) + pull;
      first[index] = 0.9 * (first[index] ?? 0) + 0.1 * steep;
      second[index] = 0.999 * (second[index] ?? 0) + 0.001 * steep ** 2;
      weights[index] =
        (weights[index] ?? 0) -
        (RATE * ((first[index] ?? 0) / (1 - 0.9 ** step))) /
          (Math.sqrt((second[index] ?? 0) / (1 - 0.999 ** step)) + 1e-8);
    }
  }
  const places = new Map(measured.map((index, place) => [index, place]));
  return {
    means,
    deviations,
    weights: LABELS.map((_, label) =>
      Array.from({ length: all + 1 }, (__, index) => {
        const place = index === all ? width : places.get(index);
        return place === undefined ? 0 : (weights[label * (width + 1) + place] ?? 0);
      }),
    ),
  };
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
