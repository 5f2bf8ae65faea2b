import type { Analyser, TermStatistics } from "@quarry/retrieval";
import { scoreFeedback } from "./feedback.ts";
import type { FusedPage } from "./fuse-candidates.ts";
import { weigh, type FeatureWeights, type RerankFeature } from "./rank-model.ts";
import { compareTexts, type PageTokens, type QueryTokens } from "./text-features.ts";

/** A page after its text was read. */
export interface RerankedPage extends FusedPage {
  /** Undefined for pages whose texts were not read. */
  readonly features: Readonly<Record<RerankFeature, number>> | undefined;
}

/** What re-ranking needs to know. */
export interface RerankContext {
  readonly query: QueryTokens;
  readonly analyser: Analyser;
  readonly statistics: TermStatistics;
  readonly weights: FeatureWeights;
  /** A page's score in a search for the words of the best pages, 0 to 1; without such a search always 0. */
  readonly expansionOf?: ((page: FusedPage) => number) | undefined;
  /** The part of a page's text that is compared; undefined when it is gone. */
  readonly textOf: (page: FusedPage) => string | undefined;
}

/** The best pages are the measure that others are compared with. */
const FEEDBACK_PAGES = 5;

/**
 * Ranks pages anew by their texts: which of the query's words they have and where, and what they have in common with
 * the best. `pages` come best first; those whose text is gone keep what they had.
 */
export function rerankPages(pages: readonly FusedPage[], context: RerankContext): readonly RerankedPage[] {
  const tokens = pages.map((page) => readTokens(page, context));
  const feedback = scoreFeedback(
    tokens.map(({ title, body }) => [...title, ...title, ...body]),
    FEEDBACK_PAGES,
    context.statistics,
  );
  return pages
    .map((page, place) => {
      const { cover, adjacency } = compareTexts(context.query, tokens[place] ?? NO_TOKENS);
      const features = {
        words: page.words,
        coveredWords: page.words * cover,
        adjacency,
        meaning: page.meaning,
        feedback: feedback[place] ?? 0,
        expansion: context.expansionOf?.(page) ?? 0,
      };
      return { ...page, features, score: weigh(features, context.weights) };
    })
    .sort((one, other) => other.score - one.score);
}

const NO_TOKENS: PageTokens = { title: [], body: [] };

function readTokens(page: FusedPage, { analyser, textOf }: RerankContext): PageTokens {
  const { title, language } = page.candidate.facts;
  const text = textOf(page);
  return {
    title: analyser.analyseText(title ?? "", language),
    body: text === undefined ? [] : analyser.analyseText(text, language),
  };
}
