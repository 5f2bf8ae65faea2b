import { AppError } from "@quarry/base";
import { contentsReplySchema, contentsSchema, priceContents, type ContentsBody } from "@quarry/contract";
import { contentsOptionsOf, getContents } from "@quarry/search";
import { defineRoute, type Route } from "../route.ts";
import { checkContentsRules } from "./search-rules.ts";
import { admissionOf, elapsed, teamsOf, type AdmittedDeps } from "./search-deps.ts";

/** The contents of pages by address. */
export function contentsRoute(deps: AdmittedDeps): Route {
  return defineRoute({
    name: "contents",
    method: "POST",
    path: "/contents",
    tag: "Search",
    summary: "Read pages by address: stored ones, or fetched now",
    description:
      "Give urls or ids, 1 to 100. Text is returned unless another kind of content is asked for. An address that cannot " +
      "be read is left out of results and has an error in statuses; it never fails the request.",
    access: "search",
    meter: "contents",
    body: contentsSchema,
    response: contentsReplySchema,
    handle: async ({ body }, context) => {
      const began = performance.now();
      const ids = idsOf(body);
      const options = contentsOptionsOf(body) ?? {};
      checkContentsRules(options, { headers: context.headers, pages: ids.length });
      const request = {
        teamIds: teamsOf(context.caller),
        ids,
        options,
        query: body.query,
        storedOnly: body.compliance === "hipaa",
        evidence: body.quarry?.evidence === true,
      };
      const outcome = await deps.admit(() => getContents(deps.search, request, context.signal), admissionOf(context));
      const count = (kind: unknown): number => (kind === undefined ? 0 : outcome.results.length);
      const { text, highlights, summary } = outcome.plan;
      const costDollars = priceContents(deps.prices, {
        text: count(text),
        highlights: count(highlights),
        summary: count(summary),
      });
      context.addUsage({ costDollars: costDollars.total });
      return {
        requestId: context.requestId,
        results: outcome.results,
        ...(outcome.context !== undefined && { context: outcome.context }),
        statuses: outcome.statuses,
        searchTime: elapsed(began),
        costDollars,
      };
    },
  });
}

/** Exactly one of the lists. */
function idsOf({ urls, ids, documents }: ContentsBody): readonly string[] {
  const given = [urls, ids, documents].filter((list) => list !== undefined);
  const [only] = given;
  if (only !== undefined && given.length === 1) return only;
  const message =
    given.length === 0
      ? "Invalid request body | Validation error: urls: expected a list of 1 to 100 addresses (or ids instead)"
      : "Invalid request body | Validation error: expected either urls or ids, received both; leave one out";
  throw new AppError("invalid_request", message, { details: { tag: "INVALID_REQUEST_BODY" } });
}
