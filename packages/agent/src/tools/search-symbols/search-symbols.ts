import { pathToFileURL } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import { searchSymbols, type FoundSymbol } from "../../code/search-symbols.ts";
import type { Tool } from "../../tool.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";

const MAX_MATCHES = 50;

/** aiserver.v1 SearchSymbols: functions, classes and the like by fuzzy name. Lines and columns count from 1. */
export function searchSymbolsTool(deps: Pick<WorkspaceDeps, "rootsOf" | "code">): Tool {
  return workspaceTool(deps, {
    name: "search_symbols",
    clientTool: ClientSideToolV2.SEARCH_SYMBOLS,
    title: "Find symbols",
    description: "Finds functions, classes and other symbols of the workspace by fuzzy name, best first (at most 50).",
    tier: "read",
    messages: "SearchSymbols",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 200, description: "A name or parts of one, such as Money.add" },
    },
    required: ["query"],
    pathsOf: () => ["."],
    run: async (args, context) => {
      const asked = { query: textOf(args, "query"), limit: MAX_MATCHES };
      const found = await Promise.all(
        deps.rootsOf(context.session).map(async (given) => {
          const { root } = await resolvePath([given], ".");
          return searchSymbols(deps, root, asked, context.signal);
        }),
      );
      const best = found.flat().sort((a, b) => b.score - a.score);
      return { matches: best.slice(0, MAX_MATCHES).map(toMatch) };
    },
    refuse: () => ({ rejected: true }),
  });
}

function toMatch({ symbol, absolute, secondaryText, nameMatches, secondaryMatches, score }: FoundSymbol): JsonObject {
  const { name, nameLine, nameColumn } = symbol;
  return {
    name,
    uri: pathToFileURL(absolute).href,
    range: {
      startLine: nameLine,
      startCharacter: nameColumn,
      endLine: nameLine,
      endCharacter: nameColumn + name.length,
    },
    secondaryText,
    labelMatches: nameMatches.map((part) => ({ ...part })),
    descriptionMatches: secondaryMatches.map((part) => ({ ...part })),
    score,
  };
}
