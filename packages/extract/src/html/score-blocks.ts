import { BLOCK_MODEL } from "../gen/block-model.ts";
import { FEATURE_NAMES, readFeatures } from "./block-features.ts";
import { HINT_GROUPS } from "./class-hints.ts";
import { evaluateTrees, readTrees, type DecisionTrees } from "./decision-trees.ts";
import type { PageSignals } from "./page-signals.ts";
import { SURE_KIND, type PageKindGuess } from "./page-kind.ts";
import { FAR, landmarkDistance, placeDistance } from "./container.ts";
import type { PageBlocks } from "./text-blocks.ts";

let model: DecisionTrees | undefined;

/** The rows of most pages fit into this many numbers, which are used again for the next page. */
const KEPT_NUMBERS = 2_000 * FEATURE_NAMES.length;
let keptRows: Float32Array | undefined;

const TRUNK_FEATURE = FEATURE_NAMES.indexOf("steps-to-trunk:0.9");
const COMMENT_HINT = HINT_GROUPS.indexOf("comment");
/** What an article's comments, margins and whatever lies beside its trunk are worth; learnt on the dev pages. */
const COMMENT_FACTOR = 0.4;
const MARGIN_FACTOR = 0.6;
const BESIDE_FACTOR = 0.7;

/**
 * The chance of each block to be main content, by the trained trees. On an article, whose text stands in one place,
 * they are lowered for what stands elsewhere: other articles and comments read just like it.
 */
export function scoreBlocks(page: PageBlocks, signals: PageSignals, guess: PageKindGuess): Float64Array {
  model ??= readTrees(BLOCK_MODEL);
  const rows = readFeatures(page, signals, emptyRows(page.blocks.length * FEATURE_NAMES.length));
  const chances = evaluateTrees(model, rows, FEATURE_NAMES.length);
  if (guess.kind !== "article" || guess.chance < SURE_KIND) return chances;
  for (const { index, container } of page.blocks) {
    let factor = (rows[index * FEATURE_NAMES.length + TRUNK_FEATURE] ?? 0) > 0 ? BESIDE_FACTOR : 1;
    if (placeDistance(container, COMMENT_HINT) < FAR) factor *= COMMENT_FACTOR;
    if (landmarkDistance(container, "aside") < FAR || landmarkDistance(container, "footer") < FAR)
      factor *= MARGIN_FACTOR;
    chances[index] = (chances[index] ?? 0) * factor;
  }
  return chances;
}

/** So many zeros. Fresh ones cost the machine new memory, page by page, and the collector its removal. */
function emptyRows(count: number): Float32Array {
  if (count > KEPT_NUMBERS) return new Float32Array(count);
  keptRows ??= new Float32Array(KEPT_NUMBERS);
  return keptRows.subarray(0, count).fill(0);
}
