import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { AppError } from "@quarry/base";
import { createCodeTools, type CodeToolsOptions } from "../code/code-tools.ts";
import { Terminals, type TerminalsOptions } from "../terminal/terminals.ts";
import type { ToolPlace } from "../tool.ts";
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
  const terminals = new Terminals({
    ...options.terminals,
    directory: path.join(options.historyDirectory, "terminals"),
    ripgrep,
  });
  // What a session's commands said may be read by it wherever it lies.
  const outside: OutsidePlaces = {
    hidden: options.outside?.hidden ?? [],
    isClosed: options.outside === undefined,
    freeOf: (session) => [...(options.outside?.freeOf(session) ?? []), terminals.transcriptsOf(session.id)],
  };
  return {
    protectedPaths,
    locks: createPathLocks(),
    history: createEditHistory(options.historyDirectory),
    sessionFiles: createSessionFiles(path.join(options.historyDirectory, "sessions")),
    ripgrep,
    fileLists: createFileLists({ ripgrep, protectedPaths }),
    terminals,
    gitContext: createGitContext(),
    code,
    ...(options.code?.threadEntry === undefined ? {} : { lints: code.lints }),
    outside,
    rootsOf: (session) => {
      const { workspaceRoot } = session;
      if (roots.length === 0) {
        throw new AppError(
          "forbidden",
          "there is no workspace here; set QUARRY_WORKSPACE_ROOTS, or run quarry agent connect where the files are",
        );
      }
      const granted = grantedTo(outside, session);
      if (workspaceRoot === "") return [...roots, ...granted];
      const wanted = path.resolve(workspaceRoot);
      if (roots.some((root) => isWithin(root, wanted))) return [wanted, ...granted];
      throw new AppError("forbidden", "the session's workspace root lies outside of the directories tools may work in");
    },
  };
}

/** What this one call may reach beyond the roots: what a person let it, where one may be asked, and what is free anyway. */
function grantedTo(outside: OutsidePlaces, session: ToolPlace): readonly string[] {
  const { grantedPaths = [] } = session;
  if (outside.isClosed !== true || grantedPaths.length === 0) return grantedPaths;
  const free = outside.freeOf(session).flatMap((each) => (existsSync(each) ? [realpathSync(each)] : []));
  return grantedPaths.filter((each) => free.some((directory) => isWithin(directory, each)));
}
