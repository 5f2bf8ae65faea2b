/** A command as a terminal's transcript names it. */
export interface TerminalCommand {
  readonly id: number;
  readonly command: string;
  readonly startedAt: Date;
  /** Left out while it runs. */
  readonly exitCode?: number;
  readonly durationMs?: number;
}

/** What a terminal shows. */
export interface TerminalState {
  readonly cwd: string;
  readonly commands: readonly TerminalCommand[];
  /** The output of the newest command, as far as it is kept. */
  readonly text: string;
}

/** A transcript: what ran, between two rows of dashes, and what the newest command said. */
export function transcriptOf({ cwd, commands, text }: TerminalState): string {
  const head = commands.flatMap(({ command, startedAt, exitCode, durationMs }) => [
    `command: ${JSON.stringify(command)}`,
    ...(exitCode === undefined ? [] : [`exit_code: ${exitCode}`]),
    `started_at: ${startedAt.toISOString()}`,
    ...(durationMs === undefined ? [] : [`duration_ms: ${Math.round(durationMs)}`]),
  ]);
  return ["---", `cwd: ${JSON.stringify(cwd)}`, ...head, "---", text, ""].join("\n");
}
