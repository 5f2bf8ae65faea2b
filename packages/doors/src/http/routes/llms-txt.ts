import { z } from "zod";
import { bytesReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";

/** What a model that comes across this server should know; https://llmstxt.org. */
const LLMS_TXT = `# Quarry

> The web and a workspace for AI agents, on a machine its owner controls: search, page contents, cited answers, research, and lists of entities judged by criteria. Every claim points at a quote in a stored copy of a page.

Connect by MCP where you can: replies are cut to a token budget there. A key goes into "Authorization: Bearer <key>" or "x-api-key".

## Connect

- [MCP](/mcp): Streamable HTTP, revisions 2025-11-25 and 2026-07-28; ?tools=web,websets chooses tools. Over stdio: quarry mcp
- [REST](/docs): wire-compatible with Exa's API
- [OpenAPI](/openapi.json): every route with its schemas

## Tools

- search, fetch, find_similar, answer: find, read and quote pages
- research_start, research_check: a cited report in several steps
- crawl: read a site into the index
- websets_create, websets_items and others: lists of companies, people, papers
- workflow_start, workflow_status, workflow_result: whole jobs that outlive the call
`;

/** llms.txt at the server's root; needs no key, since it says nothing of what is stored. */
export function llmsTxtRoutes(): readonly Route[] {
  return [
    defineRoute({
      name: "llmsTxt",
      method: "GET",
      path: "/llms.txt",
      tag: "Documentation",
      summary: "What a language model should know of this server",
      access: "open",
      head: true,
      hidden: true,
      response: z.string(),
      replyMediaType: "text/plain",
      handle: () => Promise.resolve(bytesReply(Buffer.from(LLMS_TXT), { mediaType: "text/plain; charset=utf-8" })),
    }),
  ];
}
