import path from "node:path";
import { AppError } from "@quarry/base";
import { createCodeTools, type CodeToolsOptions } from "../code/code-tools.ts";
import { Terminals, type TerminalsOptions } from "../terminal/terminals.ts";
import { createEditHistory } from "./edit-history.ts";
import { createFileLists } from "./file-lists.ts";
import { createGitContext } from "./git-context.ts";
import type { OutsidePlaces } from "./outside-places.ts";
import { createPathLocks } from "./path-locks.ts";
import { createProtectedPaths } from "./protected-paths.ts";
import { isWithin } from "./resolve-path.ts";
import { createRipgrep } from "./ripgrep.ts";
import { createSessionFiles } from "./session-files.ts";
import type { WorkspaceDeps } from "./workspace-deps.ts";

/**
 * What the file tools need on this machine. `roots` is all they may touch; a
 * session works in all of them, or in the one directory it names below one.
 * `historyDirectory` must lie outside of every root; the index of the code is kept beside it.
 */
export function createWorkspace(options: {
  readonly roots: readonly string[];
  readonly historyDirectory: string;
  /** How commands run on this machine. */
  readonly terminals?: Omit<TerminalsOptions, "directory" | "ripgrep">;
  /** Lets a person be asked about paths outside of the roots; left out, those are refused. */
  readonly outside?: OutsidePlaces;
  /** With a thread for code, edits also tell the problems they bring. */
  readonly code?: Omit<CodeToolsOptions, "directory" | "roots">;
}): WorkspaceDeps {
  const roots = options.roots.map((root) => path.resolve(root));
  const protectedPaths = createProtectedPaths();
  const ripgrep = createRipgrep();
  const directory = path.join(path.dirname(options.historyDirectory), "workspace-index");
  const code = createCodeTools({ ripgrep, protectedPaths }, { directory, roots, ...options.code });
  return {
    protectedPaths,
    locks: createPathLocks(),
    history: createEditHistory(options.historyDirectory),
    sessionFiles: createSessionFiles(path.join(options.historyDirectory, "sessions")),
    ripgrep,
    fileLists: createFileLists({ ripgrep, protectedPaths }),
    terminals: new Terminals({
      ...options.terminals,
      directory: path.join(options.historyDirectory, "terminals"),
      ripgrep,
    }),
    gitContext: createGitContext(),
    code,
    ...(options.code?.threadEntry === undefined ? {} : { lints: code.lints }),
    ...(options.outside === undefined ? {} : { outside: options.outside }),
    rootsOf: ({ workspaceRoot, grantedPaths = [] }) => {
      if (roots.length === 0) {
        throw new AppError(
          "forbidden",
          "there is no workspace here; set QUARRY_WORKSPACE_ROOTS, or run quarry agent connect where the files are",
        );
      }
      // What a person let this one call reach; nothing where nobody may be asked.
      const granted = options.outside === undefined ? [] : grantedPaths;
      if (workspaceRoot === "") return [...roots, ...granted];
      const wanted = path.resolve(workspaceRoot);
      if (roots.some((root) => isWithin(root, wanted))) return [wanted, ...granted];
      throw new AppError("forbidden", "the session's workspace root lies outside of the directories tools may work in");
    },
  };
}
