import type { CreateWebset, WebsetEstimateWire } from "@quarry/contract";
import { getImport, getWebset, type Queryable } from "@quarry/store";
import { TOKENS_PER_UNIT } from "./allowance.ts";
import { resolveSources } from "./create-webset.ts";
import { PAGES_PER_UNIT } from "./gather-pages.ts";
import { candidateLimit } from "./search-progress.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Criteria that are derived at most when none are given. */
const MOST_CRITERIA = 5;
const DEFAULT_COUNT = 10;
const NO_CAPS = { items: undefined, pages: undefined, tokens: undefined, costDollars: undefined };

/**
 * What a webset would take at most: every candidate judged by every criterion, every cell filled. A run mostly takes far
 * less, and never more; the caps given hold whatever this says. An import whose file has not been read counts as announced.
 * Throws `invalid_request` for a source that is not the team's.
 */
export async function estimateWebset(
  deps: Pick<WebsetsDeps, "database" | "llm" | "prices">,
  teamId: string,
  wish: CreateWebset,
): Promise<WebsetEstimateWire> {
  const count = wish.search === undefined ? 0 : (wish.search.count ?? DEFAULT_COUNT);
  // What an import brings to be judged is judged beside what is found, and all of it may enter.
  const given = await countImported(deps.database, teamId, wish, "judged");
  const candidates = wish.search === undefined ? 0 : candidateLimit(count) + given;
  const verdicts = candidates * (wish.search?.criteria?.length ?? (wish.search === undefined ? 0 : MOST_CRITERIA));
  const caps = { ...NO_CAPS, ...wish.quarry?.caps };
  const imported = await countImported(deps.database, teamId, wish, "as they are");
  const items = Math.min(Math.max(count, given) + imported, caps.items ?? Infinity);
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

/** Entities that come in as they are, or those that a search judges first. */
async function countImported(
  db: Queryable,
  teamId: string,
  wish: CreateWebset,
  which: "as they are" | "judged",
): Promise<number> {
  const sources = await resolveSources(db, teamId, wish.import ?? []);
  const counts = sources
    .filter(({ evaluate }) => (evaluate === true) === (which === "judged"))
    .map(async ({ source, id }) =>
      source === "webset" ? (await getWebset(db, teamId, id)).itemCount : (await getImport(db, teamId, id)).count,
    );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
