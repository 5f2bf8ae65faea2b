/**
 * Trains the extractor's two models on the dev part of the judged sets and writes them to
 * packages/extract/src/gen: `node tools/run-typescript.mjs tools/train-extract-model.ts`.
 * The held-out part is never read here, so `npm run eval -- --only extract` can tell how well the models generalise.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { growTrees, type BoostingOptions, type TrainingRows } from "./eval/boosted-trees.ts";
import { readExtractSet, type JudgedPage } from "./eval/extract-sets.ts";
import { toWords } from "./eval/extract-scores.ts";
import { labelBlocks } from "./eval/label-blocks.ts";
import { analysePage, FEATURE_NAMES, PAGE_KINDS, writeTrees } from "../packages/extract/src/training.ts";

const BLOCK_OPTIONS: BoostingOptions = {
  trees: 120,
  depth: 6,
  rate: 0.1,
  minWeight: 3,
  lambda: 20,
  rowShare: 0.7,
  featureShare: 0.2,
  seed: 7,
};
const KIND_OPTIONS: BoostingOptions = {
  trees: 50,
  depth: 3,
  rate: 0.1,
  minWeight: 1,
  lambda: 3,
  rowShare: 0.8,
  featureShare: 0.3,
  seed: 7,
};
/** Copies of each page in which class names and landmarks are hidden at random: pages name things as they like. */
const BLURRED_COPIES = 2;
const BLUR_SHARE = 0.25;
/** Blocks of one or two words are many and weigh little: a part of them stands for all. */
const SHORT_SHARE = 0.4;
const FAR = 30;

interface TrainingPage {
  readonly page: JudgedPage;
  readonly blockRows: Float32Array;
  readonly kindRow: Float32Array;
  readonly labels: readonly number[];
  readonly wordCounts: readonly number[];
}

const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
const pages = (["article-extraction-benchmark", "wcxb-dev"] as const).flatMap((name) =>
  (readExtractSet(dataDir, name) ?? []).filter((page) => page.part === "dev").map(toTrainingPage),
);
process.stderr.write(`${pages.length} pages of the dev part\n`);
const random = makeRandom(11);

const kindModels = PAGE_KINDS.map((kind) => {
  const width = pages[0]?.kindRow.length ?? 0;
  return growTrees(
    {
      features: Float32Array.from(pages.flatMap(({ kindRow }) => [...kindRow])),
      width,
      labels: Float32Array.from(pages.map(({ page }) => Number(page.pageType === kind))),
      weights: Float32Array.from(pages.map(({ page }) => (page.id.length > 10 ? 0.5 : 1))),
    },
    KIND_OPTIONS,
  );
});
process.stderr.write("page kinds done\n");
const blockModel = growTrees(toRows(pages), BLOCK_OPTIONS);

const folder = path.join("packages", "extract", "src", "gen");
mkdirSync(folder, { recursive: true });
const head = "// Made by tools/train-extract-model.ts; never edited.\n";
writeFileSync(
  path.join(folder, "block-model.ts"),
  `${head}/** Trees that give the chance of a block to be main content; read by readTrees. */\nexport const BLOCK_MODEL =\n  "${writeTrees(blockModel)}";\n`,
);
writeFileSync(
  path.join(folder, "page-kind-model.ts"),
  `${head}/** Trees for each of PAGE_KINDS, in that order; read by readTrees. */\nexport const PAGE_KIND_MODELS: readonly string[] = [\n${kindModels.map((trees) => `  "${writeTrees(trees)}",`).join("\n")}\n];\n`,
);

function toTrainingPage(page: JudgedPage): TrainingPage {
  const { texts, blockRows, kindRow } = analysePage(page.url, page.html);
  return {
    page,
    blockRows,
    kindRow,
    labels: labelBlocks(texts, page.mainText),
    wordCounts: texts.map((text) => toWords(text).length),
  };
}

function toRows(from: readonly TrainingPage[]): TrainingRows {
  const width = FEATURE_NAMES.length;
  const names = FEATURE_NAMES.map((name, index) => ({ name, index }));
  const hints = names.filter(({ name }) => name.startsWith("hint:"));
  const landmarks = names.filter(({ name }) => name.startsWith("in:"));
  const flags = names.filter(({ name }) => /^(?:is|url|made):/.test(name));
  const rows: {
    page: TrainingPage;
    block: number;
    hidden: readonly number[];
    cleared: readonly number[];
    weight: number;
  }[] = [];
  for (let copy = 0; copy <= BLURRED_COPIES; copy += 1) {
    for (const page of from) {
      const pick = (of: typeof names, share: number): readonly number[] =>
        copy === 0 ? [] : of.filter(() => random() < share).map(({ index }) => index);
      const hidden = [...pick(hints, BLUR_SHARE), ...pick(landmarks, BLUR_SHARE * 0.6)];
      const cleared = pick(flags, 0.4);
      const gold = Math.max(100, toWords(page.page.mainText).length);
      page.wordCounts.forEach((words, block) => {
        const share = words < 3 ? SHORT_SHARE : 1;
        if (share < 1 && random() > share) return;
        const weight = (30 * Math.min(words + 0.3, 80)) / gold / share / (BLURRED_COPIES + 1);
        rows.push({ page, block, hidden, cleared, weight });
      });
    }
  }
  const features = new Float32Array(rows.length * width);
  const labels = new Float32Array(rows.length);
  const weights = new Float32Array(rows.length);
  rows.forEach(({ page, block, hidden, cleared, weight }, row) => {
    features.set(page.blockRows.subarray(block * width, (block + 1) * width), row * width);
    for (const index of hidden) features[row * width + index] = FAR;
    for (const index of cleared) features[row * width + index] = 0;
    labels[row] = page.labels[block] ?? 0;
    weights[row] = weight;
  });
  process.stderr.write(`${rows.length} rows of ${width} features\n`);
  return { features, width, labels, weights };
}

/** A small repeatable generator, so that two trainings on the same pages give the same models. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
