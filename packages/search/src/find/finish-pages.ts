import { diversifyHosts, dropSameAddress } from "../rank/diversify.ts";
import { explainRank } from "../rank/explain-rank.ts";
import { freshenScore } from "../rank/freshen.ts";
import { RANK_MODEL } from "../rank/gen/rank-model.ts";
import { scorePages, type ScoredPage } from "../rank/score-pages.ts";
import { keyOf } from "./candidate.ts";
import { keepTextConditions, type TextConditions } from "./check-text.ts";
import { isAboutQuery, warnOfFewResults } from "./few-results.ts";
import type { FindPagesDeps, RankedPage, SearchWarning, VectorBacklog } from "./page-query.ts";
import type { RankedByPlan } from "./rank-plans.ts";
import { warnOfBacklog } from "./vector-backlog.ts";
import type { ReadPage } from "../rank/token-memory.ts";

/** What the caller wants of ranked pages. */
export interface FinishOptions extends TextConditions {
  /** The caller's team first. */
  readonly teamIds: readonly string[];
  readonly limit: number;
  readonly wantsFresh: boolean;
  readonly isDiverse: boolean;
  /** Whether every page has what the query says must be there. */
  readonly isCertain: boolean;
  /** Undefined when vectors have no part in it. */
  readonly backlog: VectorBacklog | undefined;
  readonly explain?: boolean | undefined;
}

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
  const current = await dropOverridden(deps, scored, options, signal);
  const once = dropSameText(dropSameAddress(current), ranked.read);
  const ordered = options.isDiverse ? diversifyHosts(once) : once.toSorted((one, other) => other.score - one.score);
  const kept = await keepTextConditions(deps, ordered, options, signal);
  const hasVectors = ranked.pages.some(({ hasMeaning }) => hasMeaning);
  const pages = kept.map(({ page, score }, index): RankedPage => {
    const { facts, meaning } = page.candidate;
    return {
      ...facts,
      score,
      isAboutQuery: isAboutQuery(page, { hasVectors }),
      isAsked: options.isCertain,
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

/**
 * A team's own page takes the place of the shared one of the same URL, also when the query finds the shared one alone:
 * whoever reads that URL gets the team's own.
 */
async function dropOverridden(
  { findOwnUrls }: Pick<FindPagesDeps, "findOwnUrls">,
  entries: readonly Entry[],
  { teamIds }: Pick<FinishOptions, "teamIds">,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const [ownTeam] = teamIds;
  const others = entries.filter(({ teamId }) => teamId !== ownTeam).map(({ url }) => url);
  if (ownTeam === undefined || others.length === 0) return entries;
  const own = await findOwnUrls(ownTeam, others, signal);
  return own.size === 0 ? entries : entries.filter(({ teamId, url }) => teamId === ownTeam || !own.has(url));
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
  { limit, backlog }: FinishOptions,
): readonly SearchWarning[] {
  const few = warnOfFewResults(pages, { limit });
  if (vectorsMissing === undefined) return [...(backlog === undefined ? [] : warnOfBacklog(backlog)), ...few];
  const message = "ranked by words alone: the vectors of these pages are not ready yet; search again in a moment";
  return [{ code: "vectors_not_ready", message }, ...few];
}
