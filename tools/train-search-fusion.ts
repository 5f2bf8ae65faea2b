/**
 * Learns how to weigh words, meaning and texts, on train and dev splits alone, and writes
 * packages/search/src/rank/gen/rank-model.ts: `node tools/run-typescript.mjs tools/train-search-fusion.ts`.
 * Test splits, and sets without a train split, are never read here.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rankByPlan } from "../packages/search/src/find/rank-plans.ts";
import { RANK_MODEL } from "../packages/search/src/rank/gen/rank-model.ts";
import {
  decisivenessOf,
  logOddsOf,
  weigh,
  weightsFor,
  type Doubting,
  type QuerySigns,
  type RankModel,
  type RerankFeature,
} from "../packages/search/src/rank/rank-model.ts";
import { understandQuery } from "../packages/search/src/understand/understand-query.ts";
import { readLearningSet } from "./eval/learning-sets.ts";
import { scoreRanking } from "./eval/search-metrics.ts";
import { readSearchSet, type JudgedQuery, type JudgedSet, type Split } from "./eval/search-sets.ts";
import { EVAL_TEAM, openSearchWorld } from "./eval/search-world.ts";

/** One page for one query, in numbers. */
interface Example {
  readonly id: string;
  readonly isRelevant: boolean;
  readonly features: Readonly<Record<RerankFeature, number>>;
  readonly wordShare: number;
}

/** One query with its pages. */
interface Lesson {
  readonly query: JudgedQuery;
  readonly signs: QuerySigns;
  readonly pages: readonly Example[];
}

/** What is learnt from, every how many queries of it, and what gain over words and meaning alone is wanted there. */
const SOURCES: readonly {
  readonly set: string;
  readonly split: Split;
  readonly every: number;
  readonly wanted: number;
}[] = [
  { set: "nfcorpus", split: "train", every: 8, wanted: 0.03 },
  { set: "nfcorpus", split: "dev", every: 1, wanted: 0.03 },
  { set: "cosqa", split: "dev", every: 1, wanted: 0 },
  { set: "pubmedqa", split: "train", every: 2, wanted: 0 },
  { set: "attributes", split: "train", every: 1, wanted: 0 },
  { set: "passages", split: "train", every: 1, wanted: 0 },
  { set: "papers", split: "train", every: 1, wanted: 0 },
];
const DEPTH = 100;
const ROUNDS = 6;
const GRIDS: Readonly<Record<string, readonly number[]>> = {
  doubtBelow: [0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1],
  decisive: [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1],
  words: [0.5, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.5],
  feedback: [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3],
  coveredWords: [0.8, 1, 1.2, 1.4, 1.7, 2, 2.5, 3],
  adjacency: [0, 0.2, 0.4, 0.8, 1.2, 1.6, 2],
  expansion: [0, 0.1, 0.2, 0.3, 0.5, 0.8],
};
/** Of what is wanted so little may be lacking; a point more weighs as many points won as this. */
const FREE_LOSS = 0.002;
const LOSS_WEIGHT = 4;
/** Weights are looked for from these, too: one after the other, they may all stop at a hill that is not the highest. */
const STARTS = [
  { doubtBelow: 0.8, decisive: 0.5, words: 1.4, coveredWords: 1.7, feedback: 1, adjacency: 0.8 },
  { doubtBelow: 0.9, decisive: 0.7, words: 2, coveredWords: 1.4, feedback: 1, adjacency: 1.6 },
] as const;

/** What the last run read, for `--reuse`: reading takes minutes, learning seconds. */
const LESSONS_FILE = path.join("node_modules", ".cache", "search-eval", "lessons.json");

const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
const schools = process.argv.includes("--reuse") ? reuseSchools() : await readSchools();
const fusion = search({ ...RANK_MODEL.fusion }, ["doubtBelow", "decisive", "words"]);
const closely = search({ ...RANK_MODEL.rerank, expansion: 0 }, [
  "doubtBelow",
  "decisive",
  "coveredWords",
  "feedback",
  "adjacency",
]);
const deeply = search(closely, ["expansion"]);
const rerank = { ...closely, expansion: deeply["expansion"] ?? 0 };
const model = { fusion, rerank, ...fitScores(rerank) } as unknown as RankModel;
const file = path.join("packages", "search", "src", "rank", "gen", "rank-model.ts");
writeFileSync(
  file,
  `// Made by tools/train-search-fusion.ts from train splits; do not edit.
import type { RankModel } from "../rank-model.ts";

/** What ranking has learnt. */
export const RANK_MODEL: RankModel = ${JSON.stringify(model, undefined, 2).replaceAll(/"(\w+)":/g, "$1:")};
`,
);
process.stdout.write(`wrote ${file}: ${JSON.stringify(model)}\n`);
report(fusion, "fusion");
report({ ...rerank, expansion: 0 }, "rerank");
report(rerank, "deep");

interface School {
  readonly name: string;
  readonly lessons: readonly Lesson[];
  /** What words alone, or meaning alone, reach. */
  readonly baseline: number;
  readonly wanted: number;
}

async function readSchools(): Promise<readonly School[]> {
  const read: School[] = [];
  for (const name of new Set(SOURCES.map(({ set }) => set))) {
    const set = readLearningSet(dataDir, name) ?? readSearchSet(dataDir, name as never);
    if (set === undefined) throw new Error(`${name} is not in ${dataDir}; learning needs it`);
    const world = await openSearchWorld(set, () => undefined);
    try {
      for (const { split, every, wanted } of SOURCES.filter((source) => source.set === name)) {
        const queries = (set.queries[split] ?? []).filter((_, index) => index % every === 0);
        const lessons: Lesson[] = [];
        for (const query of queries) lessons.push(await readLesson(world, set, query));
        const words = measure(lessons, ({ features }) => features.words);
        const meaning = measure(lessons, ({ features }) => features.meaning);
        process.stderr.write(`${name} ${split}: ${lessons.length} queries, words ${words}, meaning ${meaning}\n`);
        read.push({ name: `${name} ${split}`, lessons, baseline: Math.max(words, meaning), wanted });
      }
    } finally {
      await world.close();
    }
  }
  writeFileSync(
    LESSONS_FILE,
    JSON.stringify(read, (_, value: unknown) => (value instanceof Map ? { entries: [...value] } : value)),
  );
  return read;
}

function reuseSchools(): readonly School[] {
  return JSON.parse(readFileSync(LESSONS_FILE, "utf8"), (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && "entries" in value
      ? new Map(value.entries as readonly (readonly [string, number])[])
      : value,
  ) as readonly School[];
}

async function readLesson(
  world: Awaited<ReturnType<typeof openSearchWorld>>,
  set: JudgedSet,
  query: JudgedQuery,
): Promise<Lesson> {
  const ranked = await rankByPlan(
    world,
    {
      plan: "deep",
      understood: understandQuery(query.text, world.now()),
      filter: { teamIds: [EVAL_TEAM] },
      phrases: [],
      additionalQueries: [],
      depth: DEPTH,
      explain: false,
    },
    new AbortController().signal,
  );
  const ids = new Map(set.documents.map(({ id, url }) => [url, id]));
  const known = ranked.pages.flatMap(({ features, candidate, wordShare }) => {
    const id = ids.get(candidate.facts.url) ?? "";
    return features === undefined ? [] : [{ id, isRelevant: query.relevant.has(id), features, wordShare }];
  });
  return { query, signs: signsOfPages(known), pages: known };
}

function signsOfPages(pages: readonly Example[]): QuerySigns {
  const words = pages.map(({ features }) => features.words);
  return {
    bestCosine: pages.length === 0 ? undefined : Math.max(...pages.map(({ features }) => features.meaning)),
    decisiveness: decisivenessOf(words, Math.max(0, ...pages.map(({ wordShare }) => wordShare))),
  };
}

/** The mean of nDCG@10 and the reciprocal rank over queries: with many answers, and with one. */
function measure(lessons: readonly Lesson[], scoreOf: (page: Example, lesson: Lesson) => number): number {
  const values = lessons.map((lesson) => {
    const scored = lesson.pages.map((page) => ({ id: page.id, score: scoreOf(page, lesson) }));
    const order = scored.sort((one, other) => other.score - one.score).map(({ id }) => id);
    const { ndcg10, reciprocalRank } = scoreRanking(order, lesson.query);
    return (ndcg10 + reciprocalRank) / 2;
  });
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function measureModel(lessons: readonly Lesson[], weights: Readonly<Record<string, number>>): number {
  const cached = new Map(lessons.map((lesson) => [lesson, weightsFor(weights as unknown as Doubting, lesson.signs)]));
  return measure(lessons, ({ features }, lesson) => weigh(features, cached.get(lesson) ?? {}));
}

/** The mean gain over the better of words and meaning; what lacks of what is wanted weighs more. */
function gainOf(weights: Readonly<Record<string, number>>): number {
  const worths = schools.map(({ lessons, baseline, wanted }) => {
    const gain = measureModel(lessons, weights) - baseline;
    return gain - LOSS_WEIGHT * Math.max(0, wanted - FREE_LOSS - gain);
  });
  return worths.reduce((sum, worth) => sum + worth, 0) / schools.length;
}

/** The best of what is found from each start. */
function search(given: Readonly<Record<string, number>>, names: readonly string[]): Record<string, number> {
  const starts = STARTS.map((start) => ({
    ...given,
    ...Object.fromEntries(Object.entries(start).filter(([name]) => names.length > 1 && names.includes(name))),
  }));
  return [given, ...starts]
    .map((start) => climb(start, names))
    .reduce((best, found) => (gainOf(found) > gainOf(best) ? found : best));
}

/** One weight after the other, each at its best while the others rest. */
function climb(start: Readonly<Record<string, number>>, names: readonly string[]): Record<string, number> {
  let best = { ...start };
  let bestGain = gainOf(best);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = bestGain;
    for (const name of names) {
      for (const value of GRIDS[name] ?? []) {
        const gain = gainOf({ ...best, [name]: value });
        if (gain <= bestGain + 1e-6) continue;
        best = { ...best, [name]: value };
        bestGain = gain;
      }
    }
    if (bestGain === before) break;
  }
  process.stderr.write(`gain ${bestGain.toFixed(4)} with ${JSON.stringify(best)}\n`);
  return best;
}

/** Logistic fits: how likely the best page by words, and by meaning, is an answer; how that falls with the distance. */
function fitScores(weights: Readonly<Record<string, number>>): Pick<RankModel, "anchor" | "steepness"> {
  const lessons = schools.flatMap((school) => school.lessons);
  const best = (name: "words" | "meaning", input: (page: Example) => number): { bias: number; slope: number } => {
    const rows = lessons.flatMap(({ pages }) => {
      const [first] = pages.toSorted((one, other) => other.features[name] - one.features[name]);
      return first === undefined ? [] : [{ inputs: [1, input(first)], isRelevant: first.isRelevant }];
    });
    const [bias = 0, slope = 0] = fitLogistic(rows);
    return { bias: round2(bias), slope: round2(Math.max(0, slope)) };
  };
  const anchor = {
    words: best("words", ({ wordShare }) => wordShare),
    meaning: best("meaning", ({ features }) => Math.max(0, features.meaning)),
  };
  return { anchor, steepness: fitSteepness(weights, anchor) };
}

function fitSteepness(weights: Readonly<Record<string, number>>, anchor: RankModel["anchor"]): number {
  const distances = schools.flatMap(({ lessons }) =>
    lessons.flatMap(({ pages, signs }) => {
      const own = weightsFor(weights as unknown as Doubting, signs);
      const scored = pages.map((page) => ({ page, score: weigh(page.features, own) }));
      const top = scored.sort((one, other) => other.score - one.score).slice(0, 20);
      return top.map(({ page, score }) => ({
        offset: logOddsOf(
          { wordShare: top[0]?.page.wordShare ?? 0, meaning: top[0]?.page.features.meaning ?? 0 },
          anchor,
        ),
        distance: (top[0]?.score ?? 0) - score,
        isRelevant: page.isRelevant,
      }));
    }),
  );
  const lossOf = (steepness: number): number =>
    distances.reduce((sum, { offset, distance, isRelevant }) => {
      const chance = 1 / (1 + Math.exp(-(offset - steepness * distance)));
      return sum - Math.log(Math.max(1e-9, isRelevant ? chance : 1 - chance));
    }, 0);
  const tried = Array.from({ length: 40 }, (_, step) => (step + 1) / 2);
  return tried.reduce((least, steepness) => (lossOf(steepness) < lossOf(least) ? steepness : least));
}

function fitLogistic(rows: readonly { readonly inputs: readonly number[]; readonly isRelevant: boolean }[]): number[] {
  const weights = [0, 0];
  for (let step = 0; step < 10_000; step += 1) {
    const gradient = [0, 0];
    for (const { inputs, isRelevant } of rows) {
      const sum = inputs.reduce((total, input, place) => total + input * (weights[place] ?? 0), 0);
      const error = (isRelevant ? 1 : 0) - 1 / (1 + Math.exp(-sum));
      for (const [place, input] of inputs.entries()) gradient[place] = (gradient[place] ?? 0) + error * input;
    }
    for (const [place, slope] of gradient.entries()) {
      weights[place] = (weights[place] ?? 0) + (2 * slope) / rows.length;
    }
  }
  return weights;
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}

function report(weights: Readonly<Record<string, number>>, name: string): void {
  for (const { name: school, lessons, baseline } of schools) {
    const own = measureModel(lessons, weights);
    process.stdout.write(`${name}, ${school}: ${own.toFixed(4)} (better half alone ${baseline.toFixed(4)})\n`);
  }
}
