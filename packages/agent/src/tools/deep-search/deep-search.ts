import { readFile } from "node:fs/promises";
import path from "node:path";
import { ClientSideToolV2 } from "@quarry/contract";
import { deepSearch, type DeepFinding, type DeepSearch } from "../../code/deep-search.ts";
import { shownPath } from "../../code/show-code.ts";
import type { Tool } from "../../tool.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import { decodeText, linesOf } from "../../workspace/text-file.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";

/** How many lines of a finding the report shows, and of how many findings. */
const SHOWN_LINES = 12;
const SHOWN_FINDINGS = 12;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "ripgrep" | "code">;

/** aiserver.v1 DeepSearch: searches the code in several ways and reports what they found together. It changes nothing. */
export function deepSearchTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "deep_search",
    clientTool: ClientSideToolV2.DEEP_SEARCH,
    title: "Search the code thoroughly",
    description:
      "Searches the code by meaning, words, symbols and text at once: a Markdown report with file and line (at most 12 findings of 12 lines).",
    tier: "read",
    messages: "DeepSearch",
    properties: { query: { type: "string", minLength: 1, maxLength: 4_000, description: "The question" } },
    required: ["query"],
    pathsOf: () => ["."],
    run: async (args, context) => {
      const query = textOf(args, "query");
      const places = await Promise.all(deps.rootsOf(context.session).map((root) => resolvePath([root], ".")));
      const roots = places.map(({ root }) => root);
      const searches = await Promise.all(
        roots.map(async (root) => ({ root, ...(await deepSearch(deps, root, query, context.signal)) })),
      );
      const found = searches
        .flatMap(({ root, findings }) => findings.map((finding) => ({ root, ...finding })))
        .sort((a, b) => b.score - a.score)
        .slice(0, SHOWN_FINDINGS);
      if (found.length === 0) {
        const ways = searches.flatMap(({ tried }) => tried.map(({ way }) => way)).join(", ");
        return {
          success: false,
          result: `Nothing was found for “${query}”. Tried: ${ways}. Try other words, or search_symbols for a name.`,
        };
      }
      const shown = await Promise.all(
        found.map((finding) => showFinding(finding, shownPath(roots, finding.root, finding.relative))),
      );
      return { success: true, result: [`# ${query}`, summary(searches), ...shown].join("\n\n") };
    },
  });
}

function summary(searches: readonly DeepSearch[]): string {
  const tried = searches.flatMap(({ tried: ways }) => ways).map(({ way, found }) => `${way} (${found})`);
  const notes = [...new Set(searches.flatMap((one) => one.notes))];
  return [`Tried: ${tried.join(", ")}.`, ...notes].join(" ");
}

async function showFinding(finding: DeepFinding & { readonly root: string }, name: string): Promise<string> {
  const { root, relative, startLine, endLine, header, ways } = finding;
  const bytes = await readFile(path.join(root, relative)).catch(() => undefined); // gone since it was found
  const lines = linesOf((bytes === undefined ? undefined : decodeText(bytes)?.text) ?? "").slice(
    startLine - 1,
    endLine,
  );
  const cut = lines.length > SHOWN_LINES ? [`… ${lines.length - SHOWN_LINES} more lines`] : [];
  const title = `## ${name}:${startLine}-${endLine}${header === "" ? "" : ` — ${header}`}`;
  const fence = lines.some((line) => line.includes("```")) ? "````" : "```";
  return [title, `Found by ${ways.join(", ")}.`, fence, ...lines.slice(0, SHOWN_LINES), ...cut, fence].join("\n");
}
