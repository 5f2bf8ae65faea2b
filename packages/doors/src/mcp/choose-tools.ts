import { AppError, nearestName } from "@quarry/base";
import { answerTools } from "./tools/answer-tools.ts";
import { crawlTools } from "./tools/crawl-tool.ts";
import { exaAliases } from "./tools/exa-aliases.ts";
import { searchTools } from "./tools/search-tools.ts";
import { websetPartsTools } from "./tools/webset-parts-tools.ts";
import { websetsTools } from "./tools/websets-tools.ts";
import { workflowTools } from "./tools/workflow-tools.ts";
import type { JsonObject } from "./budget/shorten-card.ts";
import type { McpTool, ToolGroup } from "./tool.ts";

/** Which tools a client sees: groups, or tools by name. */
export interface ToolChoice {
  readonly listed: readonly McpTool[];
  /** Whether the tools of the workspace are to be added. */
  readonly withWorkspace: boolean;
}

/** Every tool of our own, in the order of the list. */
export const allTools: readonly McpTool[] = [
  ...searchTools,
  ...answerTools,
  ...crawlTools,
  ...websetsTools,
  ...websetPartsTools,
  ...workflowTools,
];

const GROUPS: readonly ToolGroup[] = ["web", "research", "websets", "workflows", "exa", "workspace"];

const byName: ReadonlyMap<string, McpTool> = new Map(allTools.map((tool) => [tool.name, tool]));

/** Exa's names as tools of their own, for clients that ask for them in the list. */
const aliasTools: readonly McpTool[] = exaAliases.flatMap(({ name, tool, map }) => {
  const target = byName.get(tool);
  if (target === undefined) return [];
  return [
    {
      ...target,
      name,
      group: "exa" as const,
      description: `As ${tool}: ${target.description}`,
      run: (input: unknown, context: Parameters<McpTool["run"]>[1]) =>
        target.run(clean(map(input as JsonObject)), context),
    },
  ];
});

/** Reads a choice such as `web,websets` or `search,fetch`; everything of our own by default. Throws for an unknown name. */
export function chooseTools(choice: string | undefined): ToolChoice {
  const wanted = (choice ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (wanted.length === 0) return { listed: allTools, withWorkspace: false };
  const known = [...allTools, ...aliasTools];
  const listed = new Set<McpTool>();
  for (const name of wanted) {
    const isGroup = name === "all" || (GROUPS as readonly string[]).includes(name);
    const found = known.filter(
      (tool) => tool.name === name || tool.group === name || (name === "all" && tool.group !== "exa"),
    );
    if (found.length === 0 && !isGroup) {
      const near = nearestName(name, [...GROUPS, ...known.map((tool) => tool.name)]);
      const hint = near === undefined ? `groups are ${GROUPS.join(", ")}` : `did you mean ${near}?`;
      throw new AppError("invalid_request", `tools: there is neither a tool nor a group ${name}; ${hint}`);
    }
    for (const tool of found) listed.add(tool);
  }
  return { listed: [...listed], withWorkspace: wanted.includes("workspace") };
}

/** The tool of that name, listed or an old name that still works. */
export function findTool(listed: readonly McpTool[], name: string): McpTool | undefined {
  return listed.find((tool) => tool.name === name) ?? aliasTools.find((tool) => tool.name === name);
}

/** What to tell an agent that calls a tool we do not have: the nearest name, and where all of them stand. */
export function noSuchTool(listed: readonly McpTool[], name: string): AppError {
  const near = nearestName(
    name,
    listed.map((tool) => tool.name),
  );
  const hint = near === undefined ? "tools/list names them" : `did you mean ${near}?`;
  return new AppError("invalid_request", `there is no tool ${name.slice(0, 100)}; ${hint}`);
}

function clean(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}
