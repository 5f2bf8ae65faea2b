import type { CodeTools } from "../code/code-port.ts";
import type { Terminals } from "../terminal/terminals.ts";
import type { ToolPlace } from "../tool.ts";
import type { EditHistory } from "./edit-history.ts";
import type { FileLists } from "./file-lists.ts";
import type { GitContext } from "./git-context.ts";
import type { Lints } from "./lint-problem.ts";
import type { OutsidePlaces } from "./outside-places.ts";
import type { PathLocks } from "./path-locks.ts";
import type { ProtectedPaths } from "./protected-paths.ts";
import type { Ripgrep } from "./ripgrep.ts";
import type { SessionFiles } from "./session-files.ts";

/** What the tools that work on files share. */
export interface WorkspaceDeps {
  /** The directories a session may work in; relative paths begin at the first. Throws `forbidden` when there is none. */
  readonly rootsOf: (session: ToolPlace) => readonly string[];
  readonly protectedPaths: ProtectedPaths;
  /** What holds beyond the roots; left out, nothing there can be reached. */
  readonly outside?: OutsidePlaces;
  readonly locks: PathLocks;
  readonly history: EditHistory;
  /** What sessions have read and edited. */
  readonly sessionFiles: SessionFiles;
  readonly ripgrep: Ripgrep;
  readonly fileLists: FileLists;
  /** The shells of this machine; whoever made this closes them. */
  readonly terminals: Terminals;
  readonly gitContext: GitContext;
  /** Whoever made this closes it. */
  readonly code: CodeTools;
  /** Absent where nothing here can lint; then edits report no problems. */
  readonly lints?: Lints;
  /** The session that a sub-agent of a session works in, by what callers name it; its own id when left out. */
  readonly agentSessionOf?: (parentSessionId: string, agentId: string) => Promise<string | undefined>;
}
