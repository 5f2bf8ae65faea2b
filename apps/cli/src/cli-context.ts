import type { Writable } from "node:stream";
import type { Config } from "@quarry/config";

/** One of the two streams a command writes to, and what it may show there. */
export interface Output {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  readonly hasColors: boolean;
}

/** Everything a command gets from outside; `main.ts` makes the real one, tests make theirs. */
export interface CliContext {
  readonly version: string;
  /** Reads environment and configuration file; throws `invalid_request` with every problem. */
  readonly readConfig: () => Config;
  /** What a server that the CLI starts gets as its environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether Ctrl+C reaches a child too, because a terminal sends it to the whole group. */
  readonly stdinIsTerminal: boolean;
  /** Asks the person at the terminal and reads their line. */
  readonly readLine: (prompt: string) => Promise<string>;
  /** The bundled server program. */
  readonly serverEntry: string;
  /** Aborts on Ctrl+C. */
  readonly signal: AbortSignal;
}
