import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { ClientSideToolV2, WebSearchParamsSchema, WebSearchResultSchema } from "@quarry/contract";
import { toolError } from "../tool-error.ts";
import type { Tool } from "../tool.ts";
import { findQueryFault } from "./query-fault.ts";
import { fenceUntrusted } from "./untrusted-text.ts";
import type { FoundPage, WebDeps } from "./web-deps.ts";

const RESULTS = 10;
const MAX_CHUNK_CHARACTERS = 1_000;

/** aiserver.v1 WebSearch on our own search: quick results first, the better ones when they are there. */
export function webSearchTool(deps: Pick<WebDeps, "search">): Tool {
  return {
    name: "web_search",
    aliases: [],
    clientTool: ClientSideToolV2.WEB_SEARCH,
    description: "Searches the web. Gives at most 10 titles, addresses and excerpts; read a page with web_fetch.",
    tier: "network",
    annotations: { title: "Search the web", readOnly: true, destructive: false, idempotent: true, openWorld: true },
    args: WebSearchParamsSchema,
    result: WebSearchResultSchema,
    schema: SCHEMA,
    members: { params: "webSearchParams", result: "webSearchResult", agentCall: "webSearchToolCall" },
    query: {
      type: "web-search-request",
      queryCase: "webSearchRequestQuery",
      responseCase: "webSearchRequestResponse",
    },
    isEditable: true,
    inspect: () => Promise.resolve({ hosts: [], paths: [], costDollars: 0, risk: "low", notes: [] }),
    async *run(given, context) {
      const query = fromJson(WebSearchParamsSchema, given).searchTerm;
      const fault = findQueryFault(query);
      if (fault !== undefined) {
        const happened = `The argument searchTerm ${fault}, so no search was made.`;
        const next = "Say in a few words what to look for.";
        return { kind: "failed", error: toolError(`web_search: searchTerm ${fault}`, happened, next) };
      }
      const wish = { teamId: context.teamId, query, limit: RESULTS };
      const quick = await deps.search({ ...wish, type: "fast" }, context.signal);
      const partial = JSON.stringify({ references: quick.map(toReference), isFinal: false });
      yield { kind: "output", channel: "partial-result", text: partial };
      const found = await deps.search({ ...wish, type: "auto" }, context.signal);
      return { kind: "succeeded", result: { references: found.map(toReference), isFinal: true } };
    },
    refuse: () => ({ isFinal: true, rejected: true }),
    toAgentResult: (_, outcome) => {
      switch (outcome.kind) {
        case "succeeded":
          return { success: { references: referencesOf(outcome.result) } };
        case "failed":
          return { error: { error: outcome.error.model } };
        case "rejected":
          return { rejected: { reason: outcome.reason } };
        case "cancelled":
          return { error: { error: "The search was cancelled; nothing was returned." } };
      }
    },
    alike: () => ({ tools: ["web_search"] }),
  };
}

function toReference({ url, title, text }: FoundPage): JsonObject {
  return { title, url, chunk: fenceUntrusted(url, text, MAX_CHUNK_CHARACTERS) };
}

/** The two messages call a reference's members alike. */
function referencesOf(result: JsonObject): JsonValue {
  return result["references"] ?? [];
}

const SCHEMA: JsonObject = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "aiserver.v1.WebSearchParams",
  type: "object",
  properties: {
    searchTerm: { type: "string", description: "What to look for" },
    toolCallId: { type: "string", description: "Correlation ID" },
  },
  required: ["searchTerm"],
};
