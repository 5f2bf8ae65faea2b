import { priceSearch, searchReplySchema, searchSchema } from "@quarry/contract";
import { search, TYPE_PLANS, writeSearchOutput, type SearchOutcome, type SearchRequest } from "@quarry/search";
import { eventStreamReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { contentsRoute } from "./contents.ts";
import { explainRoute } from "./explain.ts";
import { findSimilarRoute } from "./find-similar.ts";
import { createAdmission, type AdmissionLimits } from "./search-admission.ts";
import { admitSearch, elapsed, teamsOf, type AdmittedDeps, type SearchingDeps } from "./search-deps.ts";
import { checkSearchRules } from "./search-rules.ts";
import { searchErrorFrame, streamSearch } from "./search-stream.ts";

/** What the search routes need. */
export interface SearchRoutesDeps extends Omit<AdmittedDeps, "admit"> {
  /** How many searches and how many reads of pages are taken on at once; enough for two cores unless given. */
  readonly limits?: { readonly search?: AdmissionLimits; readonly contents?: AdmissionLimits };
}

/** Searches keep the processors busy: more at once would only make all of them slower. */
const SEARCH_LIMITS: AdmissionLimits = { maxRunning: 16, maxWaiting: 240, maxWaitMs: 2_000 };
/** Reading pages waits for other servers most of the time. */
const CONTENTS_LIMITS: AdmissionLimits = { maxRunning: 64, maxWaiting: 240, maxWaitMs: 5_000 };

/** Exa's search family, and why results rank as they do. */
export function searchRoutes(deps: SearchRoutesDeps): readonly Route[] {
  const reading = { ...deps, admit: createAdmission(deps.limits?.contents ?? CONTENTS_LIMITS) };
  const admit = createAdmission(deps.limits?.search ?? SEARCH_LIMITS);
  const searching = { ...deps, admit, admitReading: reading.admit };
  return [searchRoute(searching), findSimilarRoute(searching), contentsRoute(reading), explainRoute(searching)];
}

function searchRoute(deps: SearchingDeps): Route {
  return defineRoute({
    name: "search",
    method: "POST",
    path: "/search",
    tag: "Search",
    summary: "Search the index by words and by meaning",
    description:
      "Results carry the content keys that were asked for and no others. With outputSchema the reply has an output made " +
      "from the results, and with stream as well it comes as server-sent events. Unknown fields are passed over, null is absent.",
    access: "search",
    meter: "search",
    body: searchSchema,
    response: searchReplySchema,
    handle: async ({ body }, context) => {
      const began = performance.now();
      checkSearchRules(body, context.headers);
      const request = { teamIds: teamsOf(context.caller), body };
      const outcome = await admitSearch(deps, (searching) => search(searching, request, context.signal), context);
      let outputWarnings: SearchOutcome["warnings"] = [];
      const compose = async () => {
        const written = await writeSearchOutput(deps.search, request, outcome, context.streamSignal);
        outputWarnings = written.warnings;
        return written.output;
      };
      const finish = (): ReturnType<typeof closing> =>
        closing(deps, request, { ...outcome, warnings: [...outcome.warnings, ...outputWarnings] }, began);
      if (body.stream === true && body.outputSchema !== undefined) {
        context.addUsage({ costDollars: finish().costDollars.total });
        const { requestId } = context;
        const made = async () => (await compose()) ?? { content: "", grounding: [] };
        const frames = streamSearch(
          { requestId, results: outcome.results, compose: made, finish },
          context.streamSignal,
        );
        return eventStreamReply(frames, { errorFrame: searchErrorFrame });
      }
      const output = await compose();
      const ending = finish();
      context.addUsage({ costDollars: ending.costDollars.total });
      return {
        requestId: context.requestId,
        resolvedSearchType: outcome.plan,
        ...(outcome.autoDate !== undefined && { autoDate: outcome.autoDate.toISOString() }),
        results: outcome.results,
        ...(outcome.context !== undefined && { context: outcome.context }),
        ...(output !== undefined && { output }),
        ...ending,
      };
    },
  });
}

function closing(deps: AdmittedDeps, { body }: SearchRequest, outcome: SearchOutcome, began: number) {
  const results = outcome.results.length;
  return {
    searchTime: elapsed(began),
    costDollars: priceSearch(deps.prices, {
      tier: TYPE_PLANS[body.type ?? "auto"].tier,
      kind: outcome.plan === "keyword" ? "keyword" : "neural",
      results,
      summaries: outcome.contents.summary === undefined ? 0 : results,
    }),
    ...(outcome.warnings.length > 0 && { warnings: [...outcome.warnings] }),
  };
}
