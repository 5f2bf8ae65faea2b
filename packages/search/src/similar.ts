import { AppError } from "@quarry/base";
import type { FindSimilarBody } from "@quarry/contract";
import type { ContentsPlan } from "./contents/contents-plan.ts";
import { getPages, type PageOutcome } from "./contents/get-pages.ts";
import { urlOfId } from "./contents/get-contents.ts";
import { isUnsafe } from "./contents/moderation.ts";
import { shapeResults, showFacts, type ShapedResults } from "./contents/shape-results.ts";
import { findSimilarPages } from "./find/find-similar.ts";
import { MAX_PAGES } from "./find/page-query.ts";
import { filterOf, findByCategory, limitOf } from "./request/find-for-request.ts";
import { runOutside } from "./request/turns.ts";
import { asksForContents, planOf, readItems, waitsForOthers, type SearchDeps, type SearchOutcome } from "./search.ts";

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
  const source = await readSource(deps, { teamIds, url, plan, storedOnly: body.compliance === "hipaa" }, signal);
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
  const query = source.page.title ?? undefined;
  const readAndShape = async (): Promise<ShapedResults> => {
    const wish = { teamIds, plan, category: body.category, isRead: body.moderation === true || evidence };
    const items = await readItems(deps, found.pages, wish, signal);
    const safe =
      body.moderation === true
        ? items.filter(({ page, facts }) => !isUnsafe({ ...facts, text: page?.text ?? "" }))
        : items;
    const shown = safe.slice(0, limit);
    return asksForContents(plan, body.category) || evidence
      ? shapeResults(deps, shown, { plan, query, teamIds, category: body.category, evidence }, signal)
      : { results: shown.map(showFacts), context: undefined };
  };
  const shaped = await (waitsForOthers(deps, plan) ? runOutside(deps.turns, readAndShape) : readAndShape());
  return { ...shaped, plan: "neural", contents: plan, warnings: found.warnings };
}

/** The page to find others like: the stored one, else fetched now, unless only stored ones may be read. */
async function readSource(
  deps: SearchDeps,
  wanted: {
    readonly teamIds: readonly string[];
    readonly url: string;
    readonly plan: ContentsPlan;
    readonly storedOnly: boolean;
  },
  signal: AbortSignal,
): Promise<PageOutcome | undefined> {
  const { teamIds, url, plan } = wanted;
  const read = async (kind: "stored-only" | "fetch-missing"): Promise<PageOutcome | undefined> => {
    const wish = { ...plan, freshness: { kind }, snapshotAsOf: undefined };
    return (await getPages(deps, teamIds, [url], wish, signal)).get(url);
  };
  const stored = await read("stored-only");
  if (wanted.storedOnly || stored?.kind === "found") return stored;
  const fetched = await runOutside(deps.turns, () => read("fetch-missing"));
  if (fetched?.kind === "found") await deps.turns?.take();
  return fetched;
}
