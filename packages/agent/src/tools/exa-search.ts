import type { JsonObject } from "@bufbuild/protobuf";
import { fromJson } from "@bufbuild/protobuf";
import { ClientSideToolV2, ExaSearchArgsSchema, ExaSearchResultSchema } from "@quarry/contract";
import { toolError } from "../tool-error.ts";
import type { CallOutcome, Tool } from "../tool.ts";
import { findQueryFault } from "./query-fault.ts";
import { fenceUntrusted } from "./untrusted-text.ts";
import type { WebDeps, WebSearchType } from "./web-deps.ts";

const DEFAULT_RESULTS = 10;
const MAX_RESULTS = 100;
/** What one result's text may take of the model's room, and all together. */
const MAX_RESULT_CHARACTERS = 1_000;
const MAX_ALL_CHARACTERS = 20_000;

/** agent.v1 ExaSearch on our own search. */
export function exaSearchTool(deps: Pick<WebDeps, "search">): Tool {
  return {
    name: "exa_search",
    aliases: [],
    clientTool: ClientSideToolV2.UNSPECIFIED,
    description:
      "Searches the web by meaning and words. Gives titles, addresses, excerpts and dates; read a page in full with exa_fetch and its address.",
    tier: "network",
    annotations: { title: "Search the web", readOnly: true, destructive: false, idempotent: true, openWorld: true },
    args: ExaSearchArgsSchema,
    result: ExaSearchResultSchema,
    schema: EXA_SEARCH_SCHEMA,
    members: { params: "exaSearchParams", result: "exaSearchResult", agentCall: "exaSearchToolCall" },
    query: {
      type: "exa-search-request",
      queryCase: "exaSearchRequestQuery",
      responseCase: "exaSearchRequestResponse",
    },
    isEditable: true,
    inspect: () => Promise.resolve({ hosts: [], paths: [], costDollars: 0, risk: "low", notes: [] }),
    async *run(given, context) {
      const args = fromJson(ExaSearchArgsSchema, given);
      const queryFault = findQueryFault(args.query);
      if (queryFault !== undefined || args.numResults < 0 || args.numResults > MAX_RESULTS) {
        const [field, rule] =
          queryFault === undefined ? ["numResults", `must be 0 to ${MAX_RESULTS}`] : ["query", queryFault];
        const next = "Correct it and call again.";
        const happened = `The argument ${field} ${rule}, so no search was made.`;
        return { kind: "failed", error: toolError(`exa_search: ${field} ${rule}`, happened, next) };
      }
      yield { kind: "progress", message: `searching for ${JSON.stringify(args.query)}` };
      const limit = args.numResults === 0 ? DEFAULT_RESULTS : args.numResults;
      const type = (args.type === "" ? "auto" : args.type) as WebSearchType; // the schema has checked it
      const found = await deps.search({ teamId: context.teamId, query: args.query, type, limit }, context.signal);
      const room = Math.min(MAX_RESULT_CHARACTERS, Math.floor(MAX_ALL_CHARACTERS / Math.max(found.length, 1)));
      const references = found.map(({ url, title, text, publishedDate }) => ({
        title,
        url,
        text: fenceUntrusted(url, text, room),
        publishedDate,
      }));
      return { kind: "succeeded", result: { success: { references } } };
    },
    refuse: (_, reason) => ({ rejected: { reason } }),
    toAgentResult: (_, outcome) => toExaResult(outcome),
    alike: () => ({ tools: ["exa_search"] }),
  };
}

/** Success, error or rejected, as the oneof of the Exa results says. */
export function toExaResult(outcome: CallOutcome): JsonObject {
  switch (outcome.kind) {
    case "succeeded":
      return outcome.result;
    case "failed":
      return { error: { error: outcome.error.model } };
    case "rejected":
      return { rejected: { reason: outcome.reason } };
    case "cancelled":
      return { error: { error: "The call was cancelled; nothing was returned." } };
  }
}

/** Word for word the schema that the notes of the protocol give. */
const EXA_SEARCH_SCHEMA: JsonObject = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "agent.v1.ExaSearchArgs",
  type: "object",
  properties: {
    query: { type: "string", description: "Search query string" },
    type: {
      type: "string",
      enum: ["", "auto", "neural", "keyword", "fast", "deep"],
      description: "Search mode",
    },
    numResults: { type: "integer", format: "int32", description: "Number of results to return" },
    toolCallId: { type: "string", description: "Correlation ID" },
  },
  required: ["query"],
};
