import { ClientSideToolV2 } from "@quarry/contract";
import { Fzf } from "fzf";
import type { Tool } from "../../tool.ts";
import type { FileList } from "../../workspace/file-lists.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";

const MAX_RESULTS = 10;
/** How much a match in the file's own name counts beside one in its directories. */
const NAME_BONUS = 20;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside" | "fileLists">;

/** aiserver.v1 ToolCallFileSearch: paths that match fuzzily, best first. */
export function fileSearchTool(deps: Deps): Tool {
  // Making a finder costs as much as using it; a list is the same object while nothing changed.
  const finders = new WeakMap<FileList, Fzf>();
  const finderOf = (list: FileList): Fzf => {
    const known = finders.get(list) ?? new Fzf(list.files, { casing: "smart-case", fuzzy: "v1" });
    finders.set(list, known);
    return known;
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
          const matches = finderOf(await deps.fileLists.of(root, context.signal)).find(query);
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
