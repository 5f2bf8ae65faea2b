import { BLOCK_MODEL } from "../gen/block-model.ts";
import { FEATURE_NAMES, readFeatures } from "./block-features.ts";
import { evaluateTrees, readTrees, type DecisionTrees } from "./decision-trees.ts";
import type { PageSignals } from "./page-signals.ts";
import type { PageBlocks } from "./text-blocks.ts";

let model: DecisionTrees | undefined;

/** The chance of each block to be main content, by the trained trees. */
export function scoreBlocks(page: PageBlocks, signals: PageSignals): Float64Array {
  model ??= readTrees(BLOCK_MODEL);
  const rows = readFeatures(page, signals);
  const chances = new Float64Array(page.blocks.length);
  for (let index = 0; index < chances.length; index += 1) {
    chances[index] = evaluateTrees(model, rows, index * FEATURE_NAMES.length);
  }
  return chances;
}
