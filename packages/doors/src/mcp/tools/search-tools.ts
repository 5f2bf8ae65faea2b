import { AppError } from "@quarry/base";
import { contentsReplySchema, findSimilarReplySchema, searchReplySchema, type SearchResult } from "@quarry/contract";
import { z } from "zod";
import { callApi } from "../api-call.ts";
import type { ReplyItem } from "../budget/fit-reply.ts";
import { takeOtherName } from "../coerce-input.ts";
import { readAges } from "../describe-age.ts";
import { defineTool, listOutput, READS_WEB, type McpTool, type ToolContext } from "../tool.ts";

/** How much of a page a search result may quote. */
const HIGHLIGHT_CHARACTERS = 1_200;
const MAX_RESULTS = 50;
const DEFAULT_RESULTS = 10;
const MAX_URLS = 20;
const MAX_TITLE = 160;

const filters = {
  numResults: z.int().min(1).max(MAX_RESULTS).optional(),
  includeDomains: z.array(z.string()).optional(),
  excludeDomains: z.array(z.string()).optional(),
};
const NEXT_AFTER_SEARCH = "Read a result whole with fetch and its id.";

/** Searching and reading: `search` and `fetch` in the form ChatGPT expects, and `find_similar`. */
export const searchTools: readonly McpTool[] = [
  defineTool({
    name: "search",
    group: "web",
    description: "Search the web index by words and meaning. Results have id, title, url and the passages that fit.",
    input: z.object({
      query: z.string().min(1),
      ...filters,
      type: z.enum(["auto", "fast", "keyword", "neural", "deep"]).optional(),
      category: z.string().optional(),
      startPublishedDate: z.string().optional().describe("ISO date"),
      endPublishedDate: z.string().optional(),
    }),
    output: {
      type: "object",
      properties: {
        results: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string" }, title: { type: "string" }, url: { type: "string" } },
            required: ["id", "title", "url"],
          },
        },
        truncated: { type: "boolean" },
      },
      required: ["results", "truncated"],
    },
    annotations: READS_WEB,
    prepare: (args) => takeOtherName(args, { other: "question", own: "query" }),
    hints: [
      "query is a string and must not be empty",
      'includeDomains is a list such as ["example.com"]',
      "type is one of auto, fast, keyword, neural, deep",
    ],
    run: async ({ query, ...options }, context) => {
      const body = { query, numResults: DEFAULT_RESULTS, ...options, ...CONTENTS };
      const request = { method: "POST", path: "/search", body } as const;
      const { results, warnings = [] } = await callApi(context.api, request, searchReplySchema, context.signal);
      return {
        head: {
          query: query.slice(0, 200),
          ...(warnings.length > 0 && { warnings: warnings.map(({ message }) => message) }),
        },
        ...(await toPage(results, context)),
        nextStep: results.length === 0 ? NOTHING_FOUND : NEXT_AFTER_SEARCH,
      };
    },
  }),
  defineTool({
    name: "fetch",
    group: "web",
    description: "Read pages whole: one by id or url, or several by urls. Long text comes in pages by cursor.",
    input: z.object({
      id: z.string().optional().describe("id or url"),
      urls: z.array(z.string()).max(MAX_URLS).optional(),
      maxAgeHours: z.number().min(0).max(8_760).optional().describe("fetch anew when older"),
    }),
    output: {
      type: "object",
      properties: {
        id: { type: "string" },
        title: { type: "string" },
        text: { type: "string" },
        url: { type: "string" },
        results: { type: "array" },
        truncated: { type: "boolean" },
      },
      required: ["truncated"],
    },
    annotations: READS_WEB,
    prepare: (args) => takeOtherName(args, { other: "url", own: "urls" }),
    hints: ["give id (a result's id or a URL), or urls as a list", "a URL starts with https:// or http://"],
    run: async ({ id, urls, maxAgeHours }, context) => {
      const wanted = urls ?? (id === undefined ? [] : [id]);
      if (wanted.length === 0) throw new AppError("invalid_request", "id: give the page to read, as id or urls");
      const body = {
        urls: wanted,
        text: true,
        quarry: { evidence: true },
        ...(maxAgeHours !== undefined && { maxAgeHours }),
      };
      const request = { method: "POST", path: "/contents", body } as const;
      const { results, statuses } = await callApi(context.api, request, contentsReplySchema, context.signal);
      const failed = statuses.filter(({ status }) => status === "error");
      const first = results[0];
      if (first === undefined) {
        const reason = failed[0]?.error?.tag ?? "it could not be read";
        throw new AppError("not_found", `none of the pages could be read (${reason}); search for another source`);
      }
      const page = await toPage(results, context, ({ text }) => text ?? "");
      const isOne = wanted.length === 1;
      return {
        head:
          failed.length === 0
            ? {}
            : { failed: failed.map((status) => ({ url: status.id, reason: status.error?.tag })) },
        ...page,
        listKey: isOne ? "" : "results",
        nextStep: "Cite the url; find_similar gives related pages.",
      };
    },
  }),
  defineTool({
    name: "find_similar",
    group: "web",
    description: "Find pages like a given one.",
    input: z.object({ url: z.string(), ...filters, excludeSourceDomain: z.boolean().optional() }),
    output: listOutput("results"),
    annotations: READS_WEB,
    hints: ["url is one whole address with https://"],
    run: async ({ url, ...options }, context) => {
      const body = { url, numResults: DEFAULT_RESULTS, ...options, ...CONTENTS };
      const request = { method: "POST", path: "/findSimilar", body } as const;
      const { results } = await callApi(context.api, request, findSimilarReplySchema, context.signal);
      return { head: { url }, ...(await toPage(results, context)), nextStep: NEXT_AFTER_SEARCH };
    },
  }),
];

const CONTENTS = {
  contents: { highlights: { maxCharacters: HIGHLIGHT_CHARACTERS } },
  quarry: { evidence: true },
} as const;
const NOTHING_FOUND = "Nothing was found: use other words, drop filters, or read the site in with crawl.";

/** Results as items, from where the cursor says. */
async function toPage(
  results: readonly SearchResult[],
  context: ToolContext,
  textOf: (result: SearchResult) => string = ({ highlights = [] }) => highlights.join("\n"),
): Promise<{ readonly listKey: string; readonly items: readonly ReplyItem[]; readonly textFrom: number }> {
  const start = Number(context.cursor?.place ?? 0);
  const shown = results.slice(start);
  const { api, signal } = context;
  const ages = await readAges(
    api,
    shown.map(({ quarry }) => quarry?.snapshotId),
    { now: context.now(), signal },
  );
  const items = shown.map((result, index): ReplyItem => {
    const age = ages.get(result.quarry?.snapshotId ?? "");
    return {
      card: {
        id: result.id,
        title: oneLine(result.title),
        url: result.url,
        ...(result.publishedDate !== undefined && { publishedDate: result.publishedDate.slice(0, 10) }),
        ...(age !== undefined && { age }),
      },
      text: textOf(result),
      place: String(start + index),
    };
  });
  return { listKey: "results", items, textFrom: context.cursor?.offset ?? 0 };
}

/** A page chooses its own title: it gets one line, and not a long one. */
function oneLine(title: string): string {
  const line = title.replace(/\s+/g, " ").trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}
