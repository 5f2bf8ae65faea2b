import type { Tool } from "../tool.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { deleteFileTool } from "./delete-file/delete-file.ts";
import { readFileV2Tool } from "./read-file-v2/read-file-v2.ts";

/** The tools that work on files. */
export function workspaceTools(deps: WorkspaceDeps): readonly Tool[] {
  return [readFileV2Tool(deps), deleteFileTool(deps)];
}
