import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { CliContext } from "./cli-context.ts";

/** A program of ours and what it is run with. */
export interface ProgramRun {
  readonly entry: string;
  readonly args: readonly string[];
  /** QUARRY_ variables that win over the environment's. */
  readonly settings: Readonly<Record<string, string>>;
  /** Where what it prints goes; stderr when it is progress of a command. */
  readonly printsTo: "stdout" | "stderr";
}

/**
 * Runs a program in this terminal and resolves to its exit code when it ends.
 * Signals are passed on and the program decides when to end, so a graceful
 * stop stays graceful.
 */
export function runProgram(context: CliContext, run: ProgramRun): Promise<number> {
  const child = spawn(process.execPath, [run.entry, ...run.args], {
    cwd: context.cwd,
    env: { ...context.environment, ...run.settings },
    stdio: ["inherit", run.printsTo === "stdout" ? "inherit" : process.stderr, "inherit"],
  });
  const passOnStop = (): void => {
    child.kill("SIGTERM");
  };
  // On a terminal Ctrl+C reaches the child by itself; a second one would read as impatience.
  const passOnInterrupt = (): void => {
    if (!context.stdinIsTerminal) child.kill("SIGINT");
  };
  process.on("SIGTERM", passOnStop).on("SIGHUP", passOnStop).on("SIGINT", passOnInterrupt);
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  }).finally(() => {
    process.off("SIGTERM", passOnStop).off("SIGHUP", passOnStop).off("SIGINT", passOnInterrupt);
  });
}
