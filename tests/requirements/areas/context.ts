import { requirements } from "../requirement.ts";

/** What the context part promises. */
export const contextRequirements = requirements({
  "exa-api 2.5": {
    "context:request:query": "query of 1 to 2,000 characters is required",
    "context:request:tokens-num": "tokensNum is dynamic or 50 to 100,000",
    "context:reply:shape": "the reply has response as Markdown, resultsCount, outputTokens, searchTime and costDollars",
    "context:reply:within-tokens": "the response keeps within tokensNum",
  },
  "exa-api 2.6": {
    "context:sse:never-unasked": "a request that asked for no stream is never answered with SSE",
  },
});
