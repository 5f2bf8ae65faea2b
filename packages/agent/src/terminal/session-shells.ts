import { AppError } from "@quarry/base";
import { renderTerminal } from "./render-terminal.ts";
import type { Shell } from "./shell.ts";
import type { Terminals } from "./terminals.ts";

/** A shell that a session left running in the background, as the doors show it. */
export interface BackgroundShell {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly state: "running" | "exited" | "stopped" | "failed" | "unknown";
  /** Null while it runs, and where nobody saw how it ended. */
  readonly exitCode: number | null;
  readonly outputBytes: number;
}

/** The background shells of this machine's sessions, for the doors. */
export interface SessionShells {
  /** Oldest first; ended ones as long as they are remembered. */
  readonly list: (sessionId: string) => readonly BackgroundShell[];
  /** What it said, beginning and end, as a person would see it. Throws `not_found`. */
  readonly read: (sessionId: string, id: number) => Promise<BackgroundShell & { readonly output: string }>;
  /** Ends it and all it started; one that has ended stays as it is. Throws `not_found`. */
  readonly stop: (sessionId: string, id: number) => Promise<BackgroundShell>;
}

/** Shows the background shells of a machine. */
export function createSessionShells(terminals: Pick<Terminals, "list">): SessionShells {
  const find = (sessionId: string, id: number): Shell => {
    const shells = terminals.list(sessionId);
    const found = shells.find((shell) => shell.id === id);
    if (found !== undefined) return found;
    const ids = shells.map((shell) => shell.id).join(", ");
    throw new AppError("not_found", `the session has no shell ${id} in the background; it has: ${ids || "none"}`);
  };
  return {
    list: (sessionId) => terminals.list(sessionId).map(toBackgroundShell),
    read: async (sessionId, id) => {
      const shell = find(sessionId, id);
      const { head, tail, skippedBytes } = shell.output.kept();
      const parts = skippedBytes === 0 ? [Buffer.concat([head, tail])] : [head, tail];
      const texts = await Promise.all(parts.map(renderTerminal));
      return { ...toBackgroundShell(shell), output: texts.join(`\n… (${skippedBytes} bytes left out)\n`) };
    },
    stop: async (sessionId, id) => {
      const shell = find(sessionId, id);
      await shell.stop();
      return toBackgroundShell(shell);
    },
  };
}

function toBackgroundShell(shell: Shell): BackgroundShell {
  const { id, command, cwd, pid, end } = shell;
  const exitCode = end?.kind === "exited" || end?.kind === "stopped" ? end.exitCode : null;
  return {
    id,
    command,
    cwd,
    pid,
    startedAt: shell.startedAt.toISOString(),
    state: end?.kind ?? "running",
    exitCode,
    outputBytes: shell.output.totalBytes,
  };
}
