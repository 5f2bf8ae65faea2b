import type { Command } from "commander";
import type { CliContext, Output } from "./cli-context.ts";
import { paint } from "./paint.ts";

/** The options that every command takes. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly url?: string;
  readonly key?: string;
}

/** How a command speaks: data on stdout, everything else on stderr. */
export interface CommandIo {
  readonly options: GlobalOptions;
  /** Prints the result: as JSON with `--json`, else as `render` writes it. */
  readonly print: (data: unknown, render: (output: Output) => string) => void;
  /** A line that the person must see, also with `--quiet`. */
  readonly warn: (line: string) => void;
  /** A line of progress, one per call; silent with `--quiet`. */
  readonly say: (line: string) => void;
  /** A line that replaces the one before on a terminal, and is left out elsewhere; an empty one clears it. */
  readonly sayInPlace: (line: string) => void;
}

/** Binds a command's global options to the streams. */
export function openIo(context: CliContext, command: Command): CommandIo {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { stdout, stderr } = context;
  const quiet = options.quiet === true;
  return {
    options,
    print: (data, render) => {
      stdout.stream.write(options.json === true ? `${JSON.stringify(data, null, 2)}\n` : endLine(render(stdout)));
    },
    warn: (line) => {
      stderr.stream.write(`${paint(stderr, "yellow", "warning:")} ${line}\n`);
    },
    say: (line) => {
      if (!quiet) stderr.stream.write(`${line}\n`);
    },
    sayInPlace: (line) => {
      if (!quiet && stderr.isTerminal) stderr.stream.write(`\r\u001B[K${line}`);
    },
  };
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
