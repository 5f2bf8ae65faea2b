import { AppError } from "@quarry/base";
import type { FindSimilarBody } from "@quarry/contract";
import { getPages } from "./contents/get-pages.ts";
import { urlOfId } from "./contents/get-contents.ts";
import { isUnsafe } from "./contents/moderation.ts";
import { shapeResults, showFacts } from "./contents/shape-results.ts";
import { findSimilarPages } from "./find/find-similar.ts";
import { MAX_PAGES } from "./find/page-query.ts";
import { filterOf, findByCategory, limitOf } from "./request/find-for-request.ts";
import { asksForContents, planOf, readItems, type SearchDeps, type SearchOutcome } from "./search.ts";

/** A page to find others like, and who asks. */
export interface SimilarRequest {
  readonly teamIds: readonly string[];
  readonly body: FindSimilarBody;
}

/** What was found; there is no output and no date in it. */
export type SimilarOutcome = Omit<SearchOutcome, "autoDate" | "pages">;

/**
 * Finds pages like one, which is fetched first when it is not stored. Throws `unprocessable` when it cannot be had:
 * nothing is like a page that nobody has read.
 */
export async function findSimilar(
  deps: SearchDeps,
  request: SimilarRequest,
  signal: AbortSignal,
): Promise<SimilarOutcome> {
  const { teamIds, body } = request;
  const url = urlOfId(body.url);
  if (url === undefined) {
    throw new AppError("invalid_request", "url: expected an http or https address, such as https://example.com/page", {
      details: { tag: "INVALID_URLS" },
    });
  }
  const plan = planOf(body);
  const storedOnly = body.compliance === "hipaa" ? ({ kind: "stored-only" } as const) : undefined;
  const freshness = storedOnly ?? ({ kind: "fetch-missing" } as const);
  const source = (await getPages(deps, teamIds, [url], { ...plan, freshness, snapshotAsOf: undefined }, signal)).get(
    url,
  );
  if (source?.kind !== "found") {
    throw new AppError("unprocessable", `the page ${body.url} is not stored and could not be fetched`, {
      details: { tag: source?.tag ?? "CRAWL_UNKNOWN_ERROR" },
    });
  }
  const limit = limitOf(body);
  const evidence = body.quarry?.evidence === true;
  const found = await findByCategory(
    {
      teamIds,
      url: source.page.url,
      limit: body.moderation === true ? Math.min(limit * 2, MAX_PAGES) : limit,
      filter: { ...filterOf(body), excludeUrls: [url] },
      includeText: body.includeText,
      excludeText: body.excludeText,
      excludeSourceDomain: body.excludeSourceDomain,
      text: source.page.text,
      title: source.page.title ?? undefined,
    },
    body.category,
    (query) => findSimilarPages(deps, query, signal),
  );
  const items = await readItems(
    deps,
    found.pages,
    { teamIds, plan, category: body.category, isRead: body.moderation === true || evidence },
    signal,
  );
  const safe =
    body.moderation === true
      ? items.filter(({ page, facts }) => !isUnsafe({ ...facts, text: page?.text ?? "" }))
      : items;
  const shown = safe.slice(0, limit);
  const query = source.page.title ?? undefined;
  const shaped =
    asksForContents(plan, body.category) || evidence
      ? await shapeResults(deps, shown, { plan, query, teamIds, category: body.category, evidence }, signal)
      : { results: shown.map(showFacts), context: undefined };
  return { ...shaped, plan: "neural", contents: plan, warnings: found.warnings };
}
