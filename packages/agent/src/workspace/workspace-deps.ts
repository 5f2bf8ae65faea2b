import type { ToolPlace } from "../tool.ts";
import type { EditHistory } from "./edit-history.ts";
import type { GitContext } from "./git-context.ts";
import type { Lints } from "./lint-problem.ts";
import type { PathLocks } from "./path-locks.ts";
import type { ProtectedPaths } from "./protected-paths.ts";
import type { Ripgrep } from "./ripgrep.ts";

/** What the tools that work on files share. */
export interface WorkspaceDeps {
  /** The directories a session may work in; relative paths begin at the first. Throws `forbidden` when there is none. */
  readonly rootsOf: (session: ToolPlace) => readonly string[];
  readonly protectedPaths: ProtectedPaths;
  readonly locks: PathLocks;
  readonly history: EditHistory;
  readonly ripgrep: Ripgrep;
  readonly gitContext: GitContext;
  /** Absent where nothing here can lint; then edits report no problems. */
  readonly lints?: Lints;
}
