import type { CreateWebset, WebsetEstimateWire } from "@quarry/contract";
import { TOKENS_PER_UNIT } from "./allowance.ts";
import { PAGES_PER_UNIT } from "./gather-pages.ts";
import { candidateLimit } from "./search-progress.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Criteria that are derived at most when none are given. */
const MOST_CRITERIA = 5;
const DEFAULT_COUNT = 10;
const NO_CAPS = { items: undefined, pages: undefined, tokens: undefined, costDollars: undefined };

/**
 * What a webset would take at most: every candidate judged by every criterion, every cell filled. A run mostly takes far
 * less, and never more; the caps given hold whatever this says.
 */
export function estimateWebset(deps: Pick<WebsetsDeps, "llm" | "prices">, wish: CreateWebset): WebsetEstimateWire {
  const count = wish.search === undefined ? 0 : (wish.search.count ?? DEFAULT_COUNT);
  const candidates = wish.search === undefined ? 0 : candidateLimit(count);
  const verdicts = candidates * (wish.search?.criteria?.length ?? (wish.search === undefined ? 0 : MOST_CRITERIA));
  const caps = { ...NO_CAPS, ...wish.quarry?.caps };
  const items = Math.min(count, caps.items ?? Infinity);
  const cells = items * (wish.enrichments?.length ?? 0);
  const units = verdicts + cells;
  const pages = units * PAGES_PER_UNIT;
  const tokens = deps.llm === undefined ? 0 : (units + (wish.search === undefined ? 0 : 1)) * TOKENS_PER_UNIT;
  const { page, token } = deps.prices.research;
  const costDollars = Math.round((pages * page + tokens * token) * 1e6) / 1e6;
  const withinCaps =
    pages <= (caps.pages ?? Infinity) &&
    tokens <= (caps.tokens ?? Infinity) &&
    costDollars <= (caps.costDollars ?? Infinity);
  return { items, candidates, pages, tokens, costDollars, verdicts, cells, caps, withinCaps };
}
