import { z } from "zod";
import { bytesReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { listGuides, type Guides } from "./guides.ts";

/** What a model that comes across this server should know; https://llmstxt.org. */
const LLMS_TXT = `# Quarry

> The web and a workspace for AI agents, on a machine its owner controls: search, page contents, cited answers, research, and lists of entities judged by criteria. Every claim points at a quote in a stored copy of a page.

Connect by MCP where you can: replies are cut to a token budget there. A key goes into "Authorization: Bearer <key>" or "x-api-key".

## Connect

- [MCP](/mcp): Streamable HTTP, revisions 2025-11-25 and 2026-07-28; ?tools=web,websets chooses tools. Over stdio: quarry mcp
- [REST](/docs/): wire-compatible with Exa's API; as Markdown with "Accept: text/markdown"
- [OpenAPI](/openapi.json): every route with its schemas
- [API catalog](/.well-known/api-catalog): these addresses for programs, RFC 9727

## Tools

- search, fetch, find_similar, answer: find, read and quote pages
- research_start, research_check: a cited report in several steps
- crawl: read a site into the index
- websets_create, websets_items and others: lists of companies, people, papers
- workflow_start, workflow_status, workflow_result: whole jobs that outlive the call
`;

/** RFC 9727: the profile of a catalog. */
const CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
const CATALOG_PATH = "/.well-known/api-catalog";

/** What programs and models find first, without a key since it says nothing of what is stored: llms.txt and the API catalog. */
export function llmsTxtRoutes(deps: { readonly guides: () => Promise<Guides> }): readonly Route[] {
  const shared = { method: "GET", tag: "Documentation", access: "open", head: true, hidden: true } as const;
  return [
    defineRoute({
      ...shared,
      name: "llmsTxt",
      path: "/llms.txt",
      summary: "What a language model should know of this server",
      response: z.string(),
      replyMediaType: "text/plain",
      handle: async () => {
        const guides = listGuides(await deps.guides());
        const text = guides.length === 0 ? LLMS_TXT : `${LLMS_TXT}\n## Guides\n\n${guides.join("\n")}\n`;
        return bytesReply(text, { mediaType: "text/plain; charset=utf-8" });
      },
    }),
    defineRoute({
      ...shared,
      name: "apiCatalog",
      path: CATALOG_PATH,
      summary: "Where the APIs of this server are described",
      response: z.unknown(),
      handle: (_, { baseUrl }) => {
        const link = (route: string, type: string) => ({ href: `${baseUrl}${route}`, type });
        const catalog = {
          linkset: [
            { anchor: `${baseUrl}${CATALOG_PATH}`, item: [{ href: `${baseUrl}/` }, { href: `${baseUrl}/mcp` }] },
            {
              anchor: `${baseUrl}/`,
              "service-desc": [link("/openapi.json", "application/json")],
              "service-doc": [link("/docs/", "text/html"), link("/docs/", "text/markdown")],
              "service-meta": [link("/llms.txt", "text/plain")],
              status: [link("/readyz", "application/json")],
            },
            { anchor: `${baseUrl}/mcp`, "service-doc": [link("/docs/mcp.md", "text/markdown")] },
          ],
        };
        const headers = { link: `<${baseUrl}${CATALOG_PATH}>; rel="api-catalog"` };
        return Promise.resolve(bytesReply(JSON.stringify(catalog), { mediaType: CATALOG_TYPE, headers }));
      },
    }),
  ];
}
