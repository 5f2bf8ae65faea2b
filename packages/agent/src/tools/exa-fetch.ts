import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { ClientSideToolV2, ExaFetchArgsSchema, ExaFetchResultSchema } from "@quarry/contract";
import { toolError } from "../tool-error.ts";
import type { Tool } from "../tool.ts";
import { toExaResult } from "./exa-search.ts";
import { fenceUntrusted } from "./untrusted-text.ts";
import { factsOfUrls, isWebUrl, type WebDeps } from "./web-deps.ts";

const MAX_IDS = 20;
/** What all pages of one call may take of the model's room. */
const MAX_ALL_CHARACTERS = 60_000;

/** agent.v1 ExaFetch on our own contents; an id is the address of a result. */
export function exaFetchTool(deps: Pick<WebDeps, "readContents">): Tool {
  return {
    name: "exa_fetch",
    aliases: [],
    clientTool: ClientSideToolV2.UNSPECIFIED,
    description: "Reads pages in full by the addresses that exa_search gave (at most 20 at a time).",
    tier: "network",
    annotations: { title: "Read web pages", readOnly: true, destructive: false, idempotent: true, openWorld: true },
    args: ExaFetchArgsSchema,
    result: ExaFetchResultSchema,
    schema: EXA_FETCH_SCHEMA,
    members: { params: "exaFetchParams", result: "exaFetchResult", agentCall: "exaFetchToolCall" },
    query: { type: "exa-fetch-request", queryCase: "exaFetchRequestQuery", responseCase: "exaFetchRequestResponse" },
    isEditable: true,
    inspect: async (given, context) => {
      const { ids } = fromJson(ExaFetchArgsSchema, given);
      const seen = new Set((await context.earlierResults(["exa_search", "web_search"])).flatMap(urlsOf));
      const notes = ids.filter((id) => !seen.has(id)).map((id) => `${id} is not from a search of this session`);
      return factsOfUrls(ids, notes);
    },
    async *run(given, context) {
      const { ids } = fromJson(ExaFetchArgsSchema, given);
      const bad = ids.find((id) => !isWebUrl(id));
      if (ids.length === 0 || ids.length > MAX_IDS || bad !== undefined) {
        const what = bad === undefined ? `ids must be 1 to ${MAX_IDS}` : `ids: ${bad} is no http(s) address`;
        const next = "Pass the url of results of exa_search.";
        return { kind: "failed", error: toolError(`exa_fetch: ${what}`, `${what}, so nothing was read.`, next) };
      }
      yield { kind: "progress", message: `reading ${ids.length} page${ids.length === 1 ? "" : "s"}` };
      const room = Math.floor(MAX_ALL_CHARACTERS / ids.length);
      const pages = await deps.readContents(
        { teamId: context.teamId, urls: ids, maxCharacters: room + 1 },
        context.signal,
      );
      const read = pages.flatMap((page) => (page.kind === "read" ? [page] : []));
      const missed = pages.flatMap((page) => (page.kind === "failed" ? [page] : []));
      if (read.length === 0) {
        const why = missed.map(({ url, reason }) => `${url}: ${reason}`).join("; ");
        const next = "Try other results, or search again.";
        return {
          kind: "failed",
          error: toolError("exa_fetch: no page could be read", `No page could be read (${why}).`, next),
        };
      }
      const contents = [
        ...read.map(({ url, title, text, publishedDate }) => ({
          title,
          url,
          text: fenceUntrusted(url, text, room),
          publishedDate,
        })),
        // The message has no place for a page that failed among others: an entry whose text says so.
        ...missed.map(({ url, reason }) => ({ url, text: `This page could not be read: ${reason}` })),
      ];
      return { kind: "succeeded", result: { success: { contents } } };
    },
    refuse: (_, reason) => ({ rejected: { reason } }),
    toAgentResult: (_, outcome) => toExaResult(outcome),
    alike: (_, facts) => ({ tools: ["exa_fetch"], ...(facts.hosts.length === 0 ? {} : { hosts: facts.hosts }) }),
  };
}

/** The addresses in a search's result: ExaSearch has them under `success`, WebSearch at the top. */
function urlsOf(result: JsonObject): readonly string[] {
  const success: JsonValue | undefined = result["success"];
  const holder = typeof success === "object" && success !== null && !Array.isArray(success) ? success : result;
  const references = holder["references"];
  if (!Array.isArray(references)) return [];
  return references.flatMap((reference) => {
    const url =
      typeof reference === "object" && reference !== null && !Array.isArray(reference) ? reference["url"] : "";
    return typeof url === "string" ? [url] : [];
  });
}

/** Word for word the schema that the notes of the protocol give. */
const EXA_FETCH_SCHEMA: JsonObject = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "agent.v1.ExaFetchArgs",
  type: "object",
  properties: {
    ids: { type: "array", items: { type: "string" }, description: "IDs from ExaSearchReference results" },
    toolCallId: { type: "string", description: "Correlation ID" },
  },
  required: ["ids"],
};
