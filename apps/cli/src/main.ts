import path from "node:path";
import { createInterface } from "node:readline/promises";
import type { WriteStream } from "node:tty";
import packageFile from "../package.json" with { type: "json" };
import type { Output } from "./cli-context.ts";
import { readSurroundings } from "./config.ts";
import { EXIT_CODES } from "./exit-code.ts";
import { runCli } from "./run-cli.ts";

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());
// `quarry … | head` closes our stdout early: that is no failure.
process.stdout.on("error", (error: Error & { readonly code?: string }) => {
  process.exit(error.code === "EPIPE" ? EXIT_CODES.ok : EXIT_CODES.error);
});

const exitCode = await runCli(
  {
    ...readSurroundings(),
    version: packageFile.version,
    stdout: toOutput(process.stdout),
    stderr: toOutput(process.stderr),
    stdinIsTerminal: process.stdin.isTTY,
    readLine: async (prompt) => {
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await terminal.question(prompt, { signal: interrupted.signal });
      } finally {
        terminal.close();
      }
    },
    serverEntry: path.join(import.meta.dirname, "server.js"), // the bundle beside ours
    signal: interrupted.signal,
  },
  process.argv.slice(2),
);
process.exitCode = exitCode;

/** Node's own look at the terminal also honours NO_COLOR, FORCE_COLOR and TERM=dumb. */
function toOutput(stream: WriteStream): Output {
  return { stream, isTerminal: stream.isTTY, hasColors: stream.isTTY && stream.hasColors() };
}
