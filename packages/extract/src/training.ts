import { FEATURE_NAMES, readFeatures } from "./html/block-features.ts";
import { readPageFeatures } from "./html/page-kind-features.ts";
import { readSignals } from "./html/page-signals.ts";
import { parsePage } from "./html/parse-page.ts";
import { findBlocks } from "./html/text-blocks.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { collectFacts } from "./metadata/collect-facts.ts";

export { writeTrees } from "./html/decision-trees.ts";
export { PAGE_KINDS } from "./html/page-kind-names.ts";
export { FEATURE_NAMES };

/** What the training tool sees of a page: its blocks and the numbers the models will see. */
export function analysePage(
  url: string,
  html: string,
): { readonly texts: readonly string[]; readonly blockRows: Float32Array; readonly kindRow: Float32Array } {
  const { root } = parsePage(html, DEFAULT_LIMITS);
  const page = findBlocks(root, DEFAULT_LIMITS);
  const facts = collectFacts(root, DEFAULT_LIMITS);
  const signals = readSignals(url, facts);
  return {
    texts: page.blocks.map((block) => block.text),
    blockRows: readFeatures(page, signals),
    kindRow: readPageFeatures(page, facts, signals),
  };
}
