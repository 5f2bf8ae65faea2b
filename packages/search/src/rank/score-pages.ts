import type { RerankedPage } from "./rerank-pages.ts";
import { logOddsOf, toProbability, type RankModel } from "./rank-model.ts";

/** A page with a score that can be shown. */
export interface ScoredPage extends RerankedPage {
  /** 0 to 1, falling: about how likely the page is an answer. */
  readonly shown: number;
}

/**
 * Turns what ranking added up into scores from 0 to 1 that can be compared over queries: the best page's is the
 * likelihood of an answer by its words and its meaning, the others' follow by how far they are behind. `pages` come
 * best first.
 */
export function scorePages(pages: readonly RerankedPage[], model: RankModel): readonly ScoredPage[] {
  const [best] = pages;
  if (best === undefined) return [];
  const anchor = Math.max(...pages.slice(0, ANCHOR_PAGES).map((page) => logOddsOf(page, model.anchor)));
  let lowest = 1;
  return pages.map((page) => {
    lowest = Math.min(lowest, toProbability(anchor - model.steepness * (best.score - page.score)));
    return { ...page, shown: lowest };
  });
}

/** The likelihood is that of the best of the first few: the very first may be there for other reasons. */
const ANCHOR_PAGES = 3;
