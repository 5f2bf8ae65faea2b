import type { ExplainBody } from "@quarry/contract";
import { urlOfId } from "./contents/get-contents.ts";
import {
  MAX_PAGES,
  type FindPagesDeps,
  type RankedPage,
  type SearchPlan,
  type StageTiming,
} from "./find/page-query.ts";
import { findForRequest } from "./request/find-for-request.ts";
import { TYPE_PLANS } from "./request/search-plan.ts";

/** Results with the reasons for their places. */
export interface ExplainOutcome {
  readonly plan: SearchPlan;
  readonly pages: readonly { readonly rank: number; readonly page: RankedPage }[];
  readonly timings: readonly StageTiming[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** Runs a search and says why each page, or the one asked about, stands where it does. */
export async function explainSearch(
  deps: FindPagesDeps,
  request: { readonly teamIds: readonly string[]; readonly body: ExplainBody },
  signal: AbortSignal,
): Promise<ExplainOutcome> {
  const { body, teamIds } = request;
  const url = body.url === undefined ? undefined : (urlOfId(body.url) ?? body.url);
  const numResults = url === undefined ? body.numResults : MAX_PAGES;
  const found = await findForRequest(deps, { teamIds, body: { ...body, numResults }, explain: true }, signal);
  const ranked = found.pages.map((page, index) => ({ rank: index + 1, page }));
  return {
    plan: TYPE_PLANS[body.type ?? "auto"].plan,
    pages: url === undefined ? ranked : ranked.filter(({ page }) => page.url === url),
    timings: found.timings,
    warnings: found.warnings,
  };
}
