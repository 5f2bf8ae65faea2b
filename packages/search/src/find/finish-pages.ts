import { diversifyHosts, dropSameAddress } from "../rank/diversify.ts";
import { explainRank } from "../rank/explain-rank.ts";
import { freshenScore } from "../rank/freshen.ts";
import { RANK_MODEL } from "../rank/gen/rank-model.ts";
import { scorePages, type ScoredPage } from "../rank/score-pages.ts";
import { keyOf } from "./candidate.ts";
import { keepTextConditions, type TextConditions } from "./check-text.ts";
import type { FindPagesDeps, RankedPage, SearchWarning } from "./page-query.ts";
import type { RankedByPlan } from "./rank-plans.ts";
import type { ReadPage } from "../rank/token-memory.ts";

/** What the caller wants of ranked pages. */
export interface FinishOptions extends TextConditions {
  readonly limit: number;
  readonly wantsFresh: boolean;
  readonly isDiverse: boolean;
  readonly explain?: boolean | undefined;
}

/** Fewer pages than this, of as many as were asked for, are few. */
const ENOUGH_PAGES = 3;
/** A best page below this is hardly an answer. */
const GOOD_SCORE = 0.3;

/**
 * The last steps of every plan: scores from 0 to 1, newness where the query asks for it, no page twice, no host all
 * over the list, texts that hold what they must, and a word of warning where the answer is poor.
 */
export async function finishPages(
  deps: FindPagesDeps,
  ranked: RankedByPlan,
  options: FinishOptions,
  signal: AbortSignal,
): Promise<{ readonly pages: readonly RankedPage[]; readonly warnings: readonly SearchWarning[] }> {
  const now = deps.now();
  const scored = scorePages(ranked.pages, RANK_MODEL).map((page) =>
    toEntry(page, options.wantsFresh ? now : undefined),
  );
  const once = dropSameText(dropSameAddress(scored), ranked.read);
  const ordered = options.isDiverse ? diversifyHosts(once) : once.toSorted((one, other) => other.score - one.score);
  const kept = await keepTextConditions(deps, ordered, options, signal);
  const pages = kept.map(({ page, score }, index): RankedPage => {
    const { facts, meaning } = page.candidate;
    return {
      ...facts,
      score,
      passages: meaning === undefined ? [] : [{ ...meaning.chunk, score: Math.min(1, Math.max(0, meaning.score)) }],
      ...(options.explain === true ? { explanation: explainRank(page, index + 1, ranked.weights) } : {}),
    };
  });
  return { pages, warnings: warn(pages, ranked, options) };
}

interface Entry {
  readonly teamId: string;
  readonly url: string;
  readonly score: number;
  readonly page: ScoredPage;
}

function toEntry(page: ScoredPage, now: Date | undefined): Entry {
  const { teamId, url, publishedAt } = page.candidate.facts;
  return { teamId, url, score: now === undefined ? page.shown : freshenScore(page.shown, publishedAt, now), page };
}

/** Of pages with one and the same text the first; only pages that were read anyway are compared. */
function dropSameText(entries: readonly Entry[], read: ReadonlyMap<string, ReadPage>): readonly Entry[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    const page = read.get(keyOf(entry));
    if (page === undefined || page.isEmpty) return true;
    return seen.has(page.contentId) ? false : (seen.add(page.contentId), true);
  });
}

function warn(
  pages: readonly RankedPage[],
  { vectorsMissing }: RankedByPlan,
  { limit }: FinishOptions,
): readonly SearchWarning[] {
  const warnings: SearchWarning[] = [];
  if (vectorsMissing !== undefined) {
    warnings.push({
      code: "vectors_not_ready",
      message: "ranked by words alone: the vectors of these pages are not ready yet; search again in a moment",
    });
  }
  const best = pages[0]?.score ?? 0;
  if (pages.length < Math.min(limit, ENOUGH_PAGES) || best < GOOD_SCORE) {
    const found = pages.length === 0 ? "no page" : pages.length === 1 ? "one page" : `${pages.length} pages`;
    warnings.push({
      code: "few_results",
      message: `the index has little about this (${found} found); add pages with: quarry crawl URL`,
    });
  }
  return warnings;
}
