import type { RankedPage, SearchWarning } from "./page-query.ts";

/** Fewer pages than this, of as many as were asked for, are few. */
const ENOUGH_PAGES = 3;
/** A best page below this is hardly an answer. */
const GOOD_SCORE = 0.3;
/** The very best may be there for other reasons, such as its date. */
const BEST_PAGES = 3;
/** From here on a page is near what was asked: pages about other things are not. */
const NEAR_COSINE = 0.355;
/**
 * Of what the query's words could give, so much is no chance: any index has a page with one word of a question about
 * something else. By words alone less must do, since long questions share few words with their answers. Chosen on train
 * splits, asked of their own pages and of each other's.
 */
const TELLING_SHARE = { besideMeaning: 0.4, alone: 0.3 } as const;

/** Whether a page is about the query, rather than sharing a word with it by chance. */
export function isAboutQuery(
  { wordShare, meaning }: { readonly wordShare: number; readonly meaning: number },
  { hasVectors }: { readonly hasVectors: boolean },
): boolean {
  return wordShare >= (hasVectors ? TELLING_SHARE.besideMeaning : TELLING_SHARE.alone) || meaning >= NEAR_COSINE;
}

/** The warning that pages, best first, are few or hardly an answer, if they are. */
export function warnOfFewResults(
  pages: readonly Pick<RankedPage, "score" | "isAboutQuery" | "isAsked">[],
  { limit }: { readonly limit: number },
): readonly SearchWarning[] {
  const best = pages[0]?.score ?? 0;
  const first = pages.slice(0, BEST_PAGES);
  const hasAnswer =
    first.some(({ isAsked }) => isAsked) || (best >= GOOD_SCORE && first.some(({ isAboutQuery: isAbout }) => isAbout));
  if (pages.length >= Math.min(limit, ENOUGH_PAGES) && hasAnswer) return [];
  const found = pages.length === 0 ? "no page" : pages.length === 1 ? "one page" : `${pages.length} pages`;
  return [
    {
      code: "few_results",
      message: `the index has little about this (${found} found); add pages with: quarry crawl URL`,
    },
  ];
}
