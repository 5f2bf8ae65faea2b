import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import type { EndWith } from "../exit-code.ts";
import { parseInteger } from "../option-values.ts";
import { runProgram } from "../run-program.ts";

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
}

/** `quarry serve`: the server in this terminal until it is stopped. */
export function addServeCommand(program: Command, context: CliContext, endWith: EndWith): void {
  program
    .command("serve")
    .description("run the server in this terminal")
    .option("--host <address>", "address to listen on (QUARRY_HOST)")
    .option("--port <number>", "port to listen on, 0 picks a free one (QUARRY_PORT)", parseInteger(0, 65_535))
    .addHelpText("after", "\nExamples:\n  quarry serve\n  quarry serve --port 8000")
    .action(async ({ host, port }: ServeOptions) => {
      const settings = {
        ...(host === undefined ? {} : { QUARRY_HOST: host }),
        ...(port === undefined ? {} : { QUARRY_PORT: String(port) }),
      };
      endWith(await runProgram(context, { entry: context.serverEntry, args: [], settings, printsTo: "stdout" }));
    });
}
