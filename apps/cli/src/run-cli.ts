import { AppError } from "@quarry/base";
import { CommanderError } from "commander";
import type { CliContext } from "./cli-context.ts";
import { EXIT_CODES, toExitCode } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { paint } from "./paint.ts";
import { buildProgram } from "./program.ts";

/** Runs one command line and says with which code the process should end. Never rejects. */
export async function runCli(context: CliContext, args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT_CODES.ok;
  const program = buildProgram(context, (code) => {
    exitCode = code;
  });
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Help and version also end by an error of commander, with its code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
    return reportFailure(context, error, args.includes("--json"));
  }
}

function reportFailure(context: CliContext, thrown: unknown, asJson: boolean): ExitCode {
  if (context.signal.aborted) return EXIT_CODES.interrupted;
  const error = thrown instanceof AppError ? thrown : undefined;
  const exitCode = error === undefined ? EXIT_CODES.error : toExitCode(error.code);
  const message = error?.message ?? describeUnexpected(thrown);
  if (asJson) {
    const body = { code: error?.code ?? "internal", message, exitCode, ...error?.details };
    context.stderr.stream.write(`${JSON.stringify({ error: body })}\n`);
  } else {
    context.stderr.stream.write(`${paint(context.stderr, "red", "error:")} ${message}\n`);
  }
  return exitCode;
}

/** Not foreseen, so whoever reports it needs the stack. */
function describeUnexpected(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
