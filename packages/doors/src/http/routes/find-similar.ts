import { findSimilarReplySchema, findSimilarSchema, priceSearch } from "@quarry/contract";
import { findSimilar } from "@quarry/search";
import { defineRoute, type Route } from "../route.ts";
import { checkSearchRules } from "./search-rules.ts";
import { admitSearch, elapsed, teamsOf, type SearchingDeps } from "./search-deps.ts";

/** Pages like a page. */
export function findSimilarRoute(deps: SearchingDeps): Route {
  return defineRoute({
    name: "findSimilar",
    method: "POST",
    path: "/findSimilar",
    tag: "Search",
    summary: "Find pages like the page of an address, which is fetched when it is not stored",
    access: "search",
    meter: "search",
    body: findSimilarSchema,
    response: findSimilarReplySchema,
    handle: async ({ body }, context) => {
      const began = performance.now();
      checkSearchRules(body, context.headers);
      const request = { teamIds: teamsOf(context.caller), body };
      const outcome = await admitSearch(deps, (searching) => findSimilar(searching, request, context.signal), context);
      const results = outcome.results.length;
      const summaries = outcome.contents.summary === undefined ? 0 : results;
      const costDollars = priceSearch(deps.prices, { tier: "standard", kind: "neural", results, summaries });
      context.addUsage({ costDollars: costDollars.total });
      return {
        requestId: context.requestId,
        resolvedSearchType: outcome.plan,
        results: outcome.results,
        ...(outcome.context !== undefined && { context: outcome.context }),
        searchTime: elapsed(began),
        costDollars,
        ...(outcome.warnings.length > 0 && { warnings: [...outcome.warnings] }),
      };
    },
  });
}
