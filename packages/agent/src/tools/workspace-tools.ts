import type { Tool } from "../tool.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { applyAgentDiffTool } from "./apply-agent-diff/apply-agent-diff.ts";
import { deepSearchTool } from "./deep-search/deep-search.ts";
import { deleteFileTool } from "./delete-file/delete-file.ts";
import { editFileTool } from "./edit-file/edit-file.ts";
import { editFileV2Tool } from "./edit-file-v2/edit-file-v2.ts";
import { fetchPullRequestTool } from "./fetch-pull-request/fetch-pull-request.ts";
import { fetchRulesTool } from "./fetch-rules/fetch-rules.ts";
import { fileSearchTool } from "./file-search/file-search.ts";
import { fixLintsTool } from "./fix-lints/fix-lints.ts";
import { globFileSearchTool } from "./glob-file-search/glob-file-search.ts";
import { goToDefinitionTool } from "./go-to-definition/go-to-definition.ts";
import { listDirTool } from "./list-dir/list-dir.ts";
import { listDirV2Tool } from "./list-dir-v2/list-dir-v2.ts";
import { readFileTool } from "./read-file/read-file.ts";
import { readFileV2Tool } from "./read-file-v2/read-file-v2.ts";
import { readLintsTool } from "./read-lints/read-lints.ts";
import { readSemsearchFilesTool } from "./read-semsearch-files/read-semsearch-files.ts";
import { reapplyTool } from "./reapply/reapply.ts";
import { ripgrepSearchTool } from "./ripgrep-search/ripgrep-search.ts";
import { runTerminalCommandV2Tool } from "./run-terminal-command-v2/run-terminal-command-v2.ts";
import { ripgrepRawSearchTool } from "./ripgrep-raw-search/ripgrep-raw-search.ts";
import { searchSymbolsTool } from "./search-symbols/search-symbols.ts";
import { semanticSearchFullTool } from "./semantic-search-full/semantic-search-full.ts";
import { writeShellStdinTool } from "./write-shell-stdin/write-shell-stdin.ts";

/** The tools that work on files. */
export function workspaceTools(deps: WorkspaceDeps): readonly Tool[] {
  return [
    readFileTool(deps),
    readFileV2Tool(deps),
    listDirTool(deps),
    listDirV2Tool(deps),
    globFileSearchTool(deps),
    fileSearchTool(deps),
    ripgrepSearchTool(deps),
    ripgrepRawSearchTool(deps),
    deleteFileTool(deps),
    fetchRulesTool(deps),
    fetchPullRequestTool(deps),
    editFileTool(deps),
    editFileV2Tool(deps),
    reapplyTool(deps),
    applyAgentDiffTool(deps),
    runTerminalCommandV2Tool(deps),
    writeShellStdinTool(deps),
    semanticSearchFullTool(deps),
    readSemsearchFilesTool(deps),
    goToDefinitionTool(deps),
    searchSymbolsTool(deps),
    deepSearchTool(deps),
    readLintsTool(deps),
    fixLintsTool(deps),
  ];
}
