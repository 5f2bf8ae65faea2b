import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import picomatch from "picomatch";
import type { CallOutcome, Tool } from "../../tool.ts";
import type { FileList } from "../../workspace/file-lists.ts";
import { listFiles } from "../../workspace/list-files.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { sortFiles } from "../ripgrep-raw-search/sort-files.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";

const MAX_RESULTS = 200;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside" | "ripgrep" | "fileLists">;

/** aiserver.v1 GlobFileSearch: files whose paths match, newest first. */
export function globFileSearchTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "glob_file_search",
    clientTool: ClientSideToolV2.GLOB_FILE_SEARCH,
    title: "Find files by a pattern",
    description: "Finds files by a glob pattern such as **/*.ts, newest first (at most 200).",
    tier: "read",
    messages: "GlobFileSearch",
    properties: {
      targetDirectory: { type: "string", description: "Where to look; the whole workspace when empty" },
      globPattern: { type: "string", minLength: 1, description: "The pattern; **/ is put in front when missing" },
    },
    required: ["globPattern"],
    pathsOf: (args) => [textOf(args, "targetDirectory") || "."],
    run: async (args, context) => {
      const roots = deps.rootsOf(context.session);
      const given = textOf(args, "targetDirectory");
      const places = await Promise.all(
        given === "" ? roots.map((root) => resolvePath([root], ".")) : [resolvePath(roots, given)],
      );
      const pattern = textOf(args, "globPattern").replace(/^\.?\//, "");
      const matches = picomatch(pattern.startsWith("**/") ? pattern : `**/${pattern}`, { dot: true });
      const directories = await Promise.all(
        places.map(async ({ root, relative, absolute }) => {
          const { files, isCut } = await filesBelow(deps, { root, below: relative }, context.signal);
          const found = files.filter((file) => matches(file));
          const sorted = await sortFiles(absolute, found, { sort: "modified", isAscending: false });
          return {
            absPath: absolute,
            files: sorted.slice(0, MAX_RESULTS).map((relPath) => ({ relPath })),
            totalFiles: found.length,
            ripgrepTruncated: isCut || found.length > MAX_RESULTS,
          };
        }),
      );
      return { directories };
    },
    agent: {
      member: "globToolCall",
      fromArgs: (args) => ({ targetDirectory: args["targetDirectory"] ?? "", globPattern: args["globPattern"] ?? "" }),
      toResult,
    },
  });
}

/** The files below a directory, relative to it. */
async function filesBelow(
  deps: Deps,
  of: { readonly root: string; readonly below: string },
  signal: AbortSignal,
): Promise<FileList> {
  const { root, below } = of;
  const all = await deps.fileLists.of(root, signal);
  if (below === "") return all;
  const prefix = `${below}/`;
  const within = ({ files, isCut }: FileList): FileList => ({
    files: files.flatMap((file) => (file.startsWith(prefix) ? [file.slice(prefix.length)] : [])),
    isCut,
  });
  const listed = within(all);
  // A directory that was named is looked into although an ignore file leaves it out.
  return listed.files.length > 0 ? listed : within(await listFiles(deps, of, signal));
}

function toResult(args: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  const directories = (outcome.result["directories"] ?? []) as JsonObject[];
  const files = directories.flatMap((directory) =>
    ((directory["files"] ?? []) as JsonObject[]).map((file) =>
      path.join(textOf(directory, "absPath"), textOf(file, "relPath")),
    ),
  );
  const total = directories.reduce((sum, { totalFiles }) => sum + Number(totalFiles ?? 0), 0);
  return {
    success: {
      pattern: textOf(args, "globPattern"),
      path: textOf(args, "targetDirectory"),
      files,
      totalFiles: total,
      clientTruncated: files.length < total,
      ripgrepTruncated: directories.some(({ ripgrepTruncated }) => ripgrepTruncated === true),
    },
  };
}
