import type { TermStatistics } from "@quarry/retrieval";
import { scoreFeedback } from "./feedback.ts";
import type { FusedPage } from "./fuse-candidates.ts";
import { weigh, type FeatureWeights, type RerankFeature } from "./rank-model.ts";
import { textComparer, type QueryTokens } from "./text-features.ts";
import type { PageTokens, TokenMemory } from "./token-memory.ts";

/** A page after its text was read. */
export interface RerankedPage extends FusedPage {
  /** Undefined for pages whose texts were not read. */
  readonly features: Readonly<Record<RerankFeature, number>> | undefined;
}

/** What re-ranking needs to know. */
export interface RerankContext {
  readonly query: QueryTokens;
  /** Whose numbers the pages' tokens have. */
  readonly memory: TokenMemory;
  readonly statistics: TermStatistics;
  readonly weights: FeatureWeights;
  /** A page's score in a search for the words of the best pages, 0 to 1; without such a search always 0. */
  readonly expansionOf?: ((page: FusedPage) => number) | undefined;
  /** The part of a page's text that is compared; undefined when it is gone. */
  readonly tokensOf: (page: FusedPage) => PageTokens | undefined;
}

/** The best pages are the measure that others are compared with. */
const FEEDBACK_PAGES = 5;

/**
 * Ranks pages anew by their texts: which of the query's words they have and where, and what they have in common with
 * the best. `pages` come best first; those whose text is gone keep what they had.
 */
export function rerankPages(pages: readonly FusedPage[], context: RerankContext): readonly RerankedPage[] {
  const { memory } = context;
  const tokens = pages.map((page) => context.tokensOf(page) ?? readTitle(memory, page));
  const feedback = scoreFeedback(tokens, FEEDBACK_PAGES, memory.weigher(context.statistics));
  const compare = textComparer(context.query, (token) => memory.numberOf(token));
  return pages
    .map((page, place) => {
      const { cover, adjacency } = compare(tokens[place] ?? readTitle(memory, page));
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

function readTitle(memory: TokenMemory, { candidate: { facts } }: FusedPage): PageTokens {
  return memory.read({ title: facts.title, text: "", language: facts.language });
}
