import { existsSync } from "node:fs";
import path from "node:path";
import { AppError } from "@quarry/base";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import type { EndWith } from "../exit-code.ts";
import { runProgram } from "../run-program.ts";

/** `quarry eval` and `quarry bench`: the measurements of the repository this program was built in. */
export function addMeasureCommands(program: Command, context: CliContext, endWith: EndWith): void {
  const measurements = [
    ["eval", "measure quality on judged data; takes what npm run eval takes", "extract"],
    ["bench", "measure speed on this machine; takes what npm run bench takes", "startup"],
  ] as const;
  for (const [name, description, example] of measurements) {
    program
      .command(name)
      .description(description)
      .argument("[options...]", "--only NAME and others, handed on")
      .allowUnknownOption()
      .addHelpText("after", `\nExamples:\n  quarry ${name} --only ${example}`)
      .action(async (options: readonly string[]) => {
        // Built programs lie in dist/, below the root of the repository.
        const root = path.dirname(path.dirname(context.serverEntry));
        const source = path.join(root, "tools", name, "main.ts");
        if (!existsSync(source)) {
          throw new AppError("not_found", `${source} is not there; measurements come with a clone of the repository`);
        }
        const entry = path.join(root, "tools", "run-typescript.mjs");
        endWith(await runProgram(context, { entry, args: [source, ...options], settings: {}, printsTo: "stdout" }));
      });
  }
}
