import type { Tool } from "../tool.ts";
import { exaFetchTool } from "./exa-fetch.ts";
import { exaSearchTool } from "./exa-search.ts";
import type { WebDeps } from "./web-deps.ts";
import { fetchTool, webFetchTool } from "./web-fetch.ts";
import { webSearchTool } from "./web-search.ts";

/** The tools that search and read the web, on functions of the rooms that do it. */
export function webTools(deps: WebDeps): readonly Tool[] {
  return [exaSearchTool(deps), exaFetchTool(deps), webSearchTool(deps), webFetchTool(deps), fetchTool(deps)];
}
