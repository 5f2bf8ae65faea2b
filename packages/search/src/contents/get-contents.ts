import type { ContentsOptions, ContentsStatus } from "@quarry/contract";
import { canonicalUrl } from "@quarry/crawl";
import { planContents, type ContentsPlan } from "./contents-plan.ts";
import { UNSUPPORTED_URL } from "./fetch-failure.ts";
import { getPages, type PageOutcome } from "./get-pages.ts";
import { checkSchema } from "./output-schema.ts";
import { shapeResults, type ContentsDeps, type ResultItem, type ShapedResults } from "./shape-results.ts";

/** Pages to return the contents of. */
export interface ContentsRequest {
  /** The caller's team first: what is fetched is kept for it. */
  readonly teamIds: readonly string[];
  /** As they came; a result's id is its URL. */
  readonly ids: readonly string[];
  readonly options: ContentsOptions;
  readonly query: string | undefined;
  /** Answers from stored pages alone. */
  readonly storedOnly: boolean;
  readonly evidence: boolean;
}

/** The pages that could be had, and what became of each id, in the order of the request. */
export interface ContentsOutcome extends ShapedResults {
  readonly statuses: ContentsStatus[];
  readonly plan: ContentsPlan;
}

/**
 * Returns pages by their addresses: stored ones, or fetched now, as fresh as asked for. Whatever is wrong with an
 * address is told in its status; the call fails only when the request itself is wrong.
 */
export async function getContents(
  deps: ContentsDeps,
  request: ContentsRequest,
  signal: AbortSignal,
): Promise<ContentsOutcome> {
  const { ids, options, storedOnly, teamIds, query, evidence } = request;
  const plan = planContents(options, { defaultsToText: true, storedOnly });
  if (plan.summary?.schema !== undefined) checkSchema("summary.schema", plan.summary.schema);
  const asked = ids.map((id) => ({ id, url: urlOfId(id) }));
  const urls = asked.flatMap(({ url }) => url ?? []);
  const pages = await getPages(deps, teamIds, urls, plan, signal);
  const outcomeOf = (url: string | undefined): PageOutcome =>
    (url === undefined ? undefined : pages.get(url)) ?? UNSUPPORTED_URL;
  const items = new Map<string, ResultItem>();
  for (const { id, url } of asked) {
    const outcome = outcomeOf(url);
    if (outcome.kind === "failed" || items.has(outcome.page.url)) continue;
    items.set(outcome.page.url, { id, facts: outcome.page, page: outcome.page, snapshotAt: outcome.snapshotAt });
  }
  const shaped = await shapeResults(deps, [...items.values()], { plan, query, teamIds, evidence }, signal);
  return { ...shaped, plan, statuses: asked.map(({ id, url }) => showStatus(id, outcomeOf(url))) };
}

function showStatus(id: string, outcome: PageOutcome): ContentsStatus {
  if (outcome.kind === "found") return { id, status: "success", source: outcome.source };
  return { id, status: "error", error: { tag: outcome.tag, httpStatusCode: outcome.httpStatusCode } };
}

/** People leave the scheme out; what then looks like a host is taken for one. */
export function urlOfId(id: string): string | undefined {
  const text = id.trim();
  if (/^https?:/i.test(text)) return canonicalUrl(text);
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:[/?#]|$)/u.test(text)
    ? canonicalUrl(`https://${text}`)
    : undefined;
}
