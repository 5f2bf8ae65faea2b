import type { JsonObject } from "../budget/shorten-card.ts";

/** A name agents know from Exa's own servers, and what it means here. */
export interface ToolAlias {
  readonly name: string;
  /** The tool that does it. */
  readonly tool: string;
  readonly map: (args: JsonObject) => JsonObject;
}

const same = (args: JsonObject): JsonObject => args;
const asUrls = ({ url, urls }: JsonObject): JsonObject => ({
  urls: urls ?? (url === undefined ? undefined : [url]),
});
const asQuery =
  (field: string, category: string | undefined, suffix = "") =>
  ({ [field]: given, query, numResults }: JsonObject): JsonObject => ({
    query: `${typeof query === "string" ? query : typeof given === "string" ? given : ""}${suffix}`,
    ...(numResults !== undefined && { numResults }),
    ...(category !== undefined && { category }),
  });

/** Names of Exa's MCP servers, kept so that agents' habits work. They are callable always, and listed with the group exa. */
export const exaAliases: readonly ToolAlias[] = [
  { name: "web_search_exa", tool: "search", map: ({ query, numResults }) => ({ query, numResults }) },
  { name: "web_search_advanced_exa", tool: "search", map: same },
  { name: "web_fetch_exa", tool: "fetch", map: asUrls },
  { name: "crawling_exa", tool: "fetch", map: asUrls },
  { name: "find_similar_exa", tool: "find_similar", map: same },
  { name: "company_research_exa", tool: "search", map: asQuery("companyName", "company") },
  { name: "people_search_exa", tool: "search", map: asQuery("query", "people") },
  { name: "linkedin_search_exa", tool: "search", map: asQuery("query", "linkedin profile") },
  { name: "research_paper_search_exa", tool: "search", map: asQuery("query", "research paper") },
  { name: "get_code_context_exa", tool: "search", map: asQuery("query", undefined, " code example") },
  {
    name: "deep_search_exa",
    tool: "search",
    map: ({ objective, query }) => ({ query: query ?? objective, type: "deep" }),
  },
  { name: "deep_researcher_start", tool: "research_start", map: same },
  {
    name: "deep_researcher_check",
    tool: "research_check",
    map: ({ taskId, researchId }) => ({ researchId: researchId ?? taskId }),
  },
];
