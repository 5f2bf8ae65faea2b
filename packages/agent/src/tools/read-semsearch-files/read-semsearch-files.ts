import { ClientSideToolV2 } from "@quarry/contract";
import { wantedOf } from "../../code/given-results.ts";
import { referencesOf, relatedResults } from "../../code/related-results.ts";
import { showCode } from "../../code/show-code.ts";
import type { Tool } from "../../tool.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";

/** aiserver.v1 ReadSemsearchFiles: fills results of an earlier search with what the files say now. */
export function readSemsearchFilesTool(
  deps: Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "gitContext" | "code">,
): Tool {
  return workspaceTool(deps, {
    name: "read_semsearch_files",
    clientTool: ClientSideToolV2.READ_SEMSEARCH_FILES,
    title: "Read what a code search found",
    description:
      "Fills code results of a search with their current contents, and adds knowledge and commits about the query.",
    tier: "read",
    messages: "ReadSemsearchFiles",
    properties: {
      codeResults: { type: "array", items: { type: "object" }, maxItems: 100, description: "The results to fill" },
      query: {
        type: "string",
        maxLength: 4_000,
        description: "What they are for: knowledge and commits are looked for by it",
      },
      prReferences: { type: "array", items: { type: "object" }, description: "Pull requests or commits to fill in" },
      prSearchOn: { type: "boolean", description: "Also search commit messages and diffs for the query" },
      repositoryInfo: {
        type: "object",
        // It says which index of a hosted service to ask; here the workspace's own files answer.
        description: "Accepted, no effect",
      },
    },
    required: [],
    pathsOf: (args) => wantedOf(args).map(({ path }) => path),
    run: async (args, context) => {
      const shown = await showCode(deps, wantedOf(args), context);
      const [root = "."] = deps.rootsOf(context.session);
      const related = await relatedResults(
        deps,
        (await resolvePath([root], ".")).root,
        {
          query: textOf(args, "query"),
          isPrSearchOn: args["prSearchOn"] === true,
          references: referencesOf(args),
        },
        context,
      );
      return {
        codeResults: [...shown.codeResults],
        allFiles: [...shown.allFiles],
        missingFiles: [...shown.missingFiles],
        ...related,
      };
    },
  });
}
