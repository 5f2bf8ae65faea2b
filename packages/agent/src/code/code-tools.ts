import path from "node:path";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { analyseFile } from "./analyse-file.ts";
import { CodeIndexes } from "./code-indexes.ts";
import type { CodeTools, FindKnowledge } from "./code-port.ts";
import { createGit } from "./git.ts";
import { scanWorkspace } from "./scan-workspace.ts";
import type { CodeEmbedder } from "./vector-file.ts";

/** What may differ from machine to machine. */
export interface CodeToolsOptions {
  /** Where indexes are kept, outside of every workspace. */
  readonly directory: string;
  readonly embedder?: CodeEmbedder;
  readonly findKnowledge?: FindKnowledge;
  readonly gitTimeoutMs?: number;
}

/** Puts the parts together. */
export function createCodeTools(
  deps: Pick<WorkspaceDeps, "ripgrep" | "protectedPaths">,
  options: CodeToolsOptions,
): CodeTools {
  const { embedder, findKnowledge, gitTimeoutMs } = options;
  const indexes = new CodeIndexes(
    {
      scan: (root, signal) => scanWorkspace(deps, root, signal),
      analyse: analyseFile,
      ...(embedder === undefined ? {} : { embedder }),
    },
    path.join(options.directory, "code-index"),
  );
  return {
    indexes,
    git: createGit(gitTimeoutMs === undefined ? {} : { timeoutMs: gitTimeoutMs }),
    ...(findKnowledge === undefined ? {} : { findKnowledge }),
    close: () => indexes.close(),
  };
}
