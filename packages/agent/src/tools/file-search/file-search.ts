import { ClientSideToolV2 } from "@quarry/contract";
import { Fzf } from "fzf";
import type { Tool } from "../../tool.ts";
import { listFiles } from "../../workspace/list-files.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";

const MAX_RESULTS = 10;
/** How much a match in the file's own name counts beside one in its directories. */
const NAME_BONUS = 20;
/** A list of files is used again for so long; a file made within that time by something else is found later. */
const KEPT_MS = 2_000;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "ripgrep">;

/** aiserver.v1 ToolCallFileSearch: paths that match fuzzily, best first. */
export function fileSearchTool(deps: Deps): Tool {
  const kept = new Map<string, { readonly atMs: number; readonly files: Promise<readonly string[]> }>();
  const filesOf = (root: string, signal: AbortSignal): Promise<readonly string[]> => {
    const known = kept.get(root);
    if (known !== undefined && performance.now() - known.atMs < KEPT_MS) return known.files;
    const files = listFiles(deps, { root, below: "" }, signal).then((listed) => listed.files);
    kept.set(root, { atMs: performance.now(), files });
    files.catch(() => kept.delete(root)); // the caller hears of it; the next one lists anew
    return files;
  };
  return workspaceTool(deps, {
    name: "file_search",
    clientTool: ClientSideToolV2.FILE_SEARCH,
    title: "Find files by name",
    description: "Finds files whose paths match fuzzily (at most 10), best first.",
    tier: "read",
    messages: "ToolCallFileSearch",
    members: "fileSearch",
    properties: { query: { type: "string", minLength: 1, description: "Letters of the path, in order" } },
    required: ["query"],
    pathsOf: () => ["."],
    run: async (args, context) => {
      const query = textOf(args, "query").replaceAll(" ", "");
      const roots = deps.rootsOf(context.session);
      const found = await Promise.all(
        roots.map(async (given) => {
          const { root } = await resolvePath([given], ".");
          const files = await filesOf(root, context.signal);
          const matches = new Fzf(files, { casing: "smart-case", fuzzy: "v1" }).find(query);
          return matches.map(({ item, score, start }) => ({
            uri: roots.length === 1 ? item : `${root}/${item}`,
            score: score + (start > item.lastIndexOf("/") ? NAME_BONUS : 0),
          }));
        }),
      );
      const best = found
        .flat()
        .sort((a, b) => b.score - a.score || a.uri.length - b.uri.length || (a.uri < b.uri ? -1 : 1));
      return {
        files: best.slice(0, MAX_RESULTS).map(({ uri }) => ({ uri })),
        limitHit: best.length > MAX_RESULTS,
        numResults: best.length,
      };
    },
  });
}
