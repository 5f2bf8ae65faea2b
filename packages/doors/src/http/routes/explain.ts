import { explainReplySchema, explainSchema, type ExplainReplyBody } from "@quarry/contract";
import { explainSearch, type ExplainOutcome } from "@quarry/search";
import { defineRoute, type Route } from "../route.ts";
import { checkCategory, checkNumResults } from "./search-rules.ts";
import { admissionOf, teamsOf, type AdmittedDeps } from "./search-deps.ts";

/** Why results rank as they do. */
export function explainRoute(deps: AdmittedDeps): Route {
  return defineRoute({
    name: "explain",
    method: "POST",
    path: "/quarry/v1/explain",
    tag: "Search",
    summary: "Say why each result of a search, or one page, ranks where it does",
    access: "search",
    meter: "search",
    body: explainSchema,
    response: explainReplySchema,
    handle: async ({ body }, context) => {
      checkNumResults({ numResults: body.numResults });
      checkCategory(body);
      const request = { teamIds: teamsOf(context.caller), body };
      const outcome = await deps.admit(() => explainSearch(deps.search, request, context.signal), admissionOf(context));
      return {
        requestId: context.requestId,
        query: body.query,
        type: outcome.plan,
        results: outcome.pages.map(showPage),
        timings: [...outcome.timings],
        warnings: [...outcome.warnings],
      };
    },
  });
}

function showPage({ rank, page }: ExplainOutcome["pages"][number]): ExplainReplyBody["results"][number] {
  const { url, title, score, explanation } = page;
  return {
    rank,
    url,
    title,
    score,
    sentence: explanation?.sentence ?? "",
    placeByWords: explanation?.placeByWords ?? null,
    placeByMeaning: explanation?.placeByMeaning ?? null,
    parts: [...(explanation?.parts ?? [])],
    fields: explanation?.fields == null ? null : { ...explanation.fields },
    words: (explanation?.words ?? []).map(({ token, score: points, weight, counts }) => ({
      token,
      score: points,
      weight,
      counts: { ...counts },
    })),
  };
}
