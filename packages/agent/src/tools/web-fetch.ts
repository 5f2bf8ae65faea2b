import { fromJson, type DescMessage, type JsonObject } from "@bufbuild/protobuf";
import {
  ClientSideToolV2,
  FetchArgsSchema,
  FetchResultSchema,
  WebFetchParamsSchema,
  WebFetchResultSchema,
} from "@quarry/contract";
import { toolError } from "../tool-error.ts";
import type { CallOutcome, Tool, ToolContext, ToolEnd, ToolOutput } from "../tool.ts";
import { fenceUntrusted } from "./untrusted-text.ts";
import { factsOfUrls, isWebUrl, type FoundPage, type WebDeps } from "./web-deps.ts";

/** What a page may take of the model's room. */
const MAX_CHARACTERS = 40_000;

/** aiserver.v1 WebFetch on our own contents: one page as Markdown. */
export function webFetchTool(deps: Pick<WebDeps, "readContents">): Tool {
  return {
    ...common(WebFetchParamsSchema, deps, (page) => ({ url: page.url, markdown: page.text })),
    name: "web_fetch",
    clientTool: ClientSideToolV2.WEB_FETCH,
    description: "Reads one web page as Markdown, at most 40,000 characters.",
    result: WebFetchResultSchema,
    members: { params: "webFetchParams", result: "webFetchResult", agentCall: "webFetchToolCall" },
    query: { type: "web-fetch-request", queryCase: "webFetchRequestQuery", responseCase: "webFetchRequestResponse" },
    refuse: (args, reason) => ({ ...urlOf(args), error: `The person declined: ${reason}` }),
    toAgentResult: (args, outcome) => {
      if (outcome.kind === "succeeded") return { success: outcome.result };
      if (outcome.kind === "rejected") return { rejected: { reason: outcome.reason } };
      return { error: { ...urlOf(args), error: errorOf(outcome) } };
    },
    alike: (_, facts) => ({ tools: ["web_fetch"], hosts: facts.hosts }),
  };
}

/** agent.v1 Fetch on our own contents. */
export function fetchTool(deps: Pick<WebDeps, "readContents">): Tool {
  return {
    ...common(FetchArgsSchema, deps, (page) => ({
      success: { url: page.url, content: page.text, statusCode: 200, contentType: "text/markdown" },
    })),
    name: "fetch",
    clientTool: ClientSideToolV2.UNSPECIFIED,
    description: "Reads one address as text, at most 40,000 characters.",
    result: FetchResultSchema,
    members: {
      params: "fetchParams",
      result: "fetchResult",
      agentCall: "fetchToolCall",
      exec: { args: "fetchArgs", result: "fetchResult" },
    },
    refuse: (args, reason) => ({ error: { ...urlOf(args), error: `The person declined: ${reason}` } }),
    toAgentResult: (args, outcome) =>
      outcome.kind === "succeeded" ? outcome.result : { error: { ...urlOf(args), error: errorOf(outcome) } },
    alike: (_, facts) => ({ tools: ["fetch"], hosts: facts.hosts }),
  };
}

type Common = Pick<Tool, "aliases" | "tier" | "annotations" | "args" | "schema" | "isEditable" | "inspect" | "run">;

function common(
  args: DescMessage,
  deps: Pick<WebDeps, "readContents">,
  toResult: (page: FoundPage) => JsonObject,
): Common {
  return {
    aliases: [],
    tier: "network",
    annotations: { title: "Read a web page", readOnly: true, destructive: false, idempotent: true, openWorld: true },
    args,
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      title: args.typeName,
      type: "object",
      properties: {
        url: { type: "string", description: "An http or https address" },
        toolCallId: { type: "string", description: "Correlation ID" },
      },
      required: ["url"],
    },
    isEditable: true,
    inspect: (given) => Promise.resolve(factsOfUrls([fromJson(FetchArgsSchema, given).url], [])),
    run: (given, context) => readOne(deps, { url: fromJson(FetchArgsSchema, given).url, context, toResult }),
  };
}

async function* readOne(
  deps: Pick<WebDeps, "readContents">,
  reading: {
    readonly url: string;
    readonly context: ToolContext;
    readonly toResult: (page: FoundPage) => JsonObject;
  },
): AsyncGenerator<ToolOutput, ToolEnd> {
  const { url, context, toResult } = reading;
  if (!isWebUrl(url)) {
    const happened = `The argument url is no http(s) address, so nothing was read.`;
    return { kind: "failed", error: toolError("url is no http(s) address", happened, "Pass a whole address.") };
  }
  yield { kind: "progress", message: `reading ${url}` };
  const wish = { teamId: context.teamId, urls: [url], maxCharacters: MAX_CHARACTERS + 1 };
  const [page] = await deps.readContents(wish, context.signal);
  if (page?.kind === "read") {
    return {
      kind: "succeeded",
      result: toResult({ ...page, text: fenceUntrusted(page.url, page.text, MAX_CHARACTERS) }),
    };
  }
  const reason = page?.reason ?? "no answer came";
  const happened = `${url} could not be read: ${reason}.`;
  return { kind: "failed", error: toolError("the page could not be read", happened, "Try another address.") };
}

function urlOf(args: JsonObject): JsonObject {
  return { url: args["url"] ?? "" };
}

function errorOf(outcome: Exclude<CallOutcome, { kind: "succeeded" }>): string {
  switch (outcome.kind) {
    case "failed":
      return outcome.error.model;
    case "rejected":
      return `The person declined: ${outcome.reason}`;
    case "cancelled":
      return "The call was cancelled; nothing was returned.";
  }
}
