import { PAGE_KIND_MODELS } from "../gen/page-kind-model.ts";
import { PAGE_KINDS, type PageKind } from "./page-kind-names.ts";
import { evaluateTrees, readTrees, type DecisionTrees } from "./decision-trees.ts";

/** The most likely kind of a page and how likely it is among all. */
export interface PageKindGuess {
  readonly kind: PageKind;
  readonly chance: number;
}

/** From this chance on a guess decides how the page is read. */
export const SURE_KIND = 0.5;

let models: readonly DecisionTrees[] | undefined;

/** Guesses the kind of a page from its page features. */
export function guessPageKind(features: Float32Array): PageKindGuess {
  models ??= PAGE_KIND_MODELS.map(readTrees);
  let best: PageKindGuess = { kind: "article", chance: 0 };
  let sum = 0;
  PAGE_KINDS.forEach((kind, index) => {
    const model = models?.[index];
    const chance = model === undefined ? 0 : (evaluateTrees(model, features, features.length)[0] ?? 0);
    sum += chance;
    if (chance > best.chance) best = { kind, chance };
  });
  return { kind: best.kind, chance: sum === 0 ? 0 : best.chance / sum };
}
