import { describeConfig } from "@quarry/config";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { renderTable } from "../table.ts";

/** `quarry config print`: every setting, its value and where that came from. */
export function addConfigCommand(program: Command, context: CliContext): void {
  const config = program.command("config").description("look at the settings");
  config
    .command("print")
    .description("show every setting, its value and its origin; secrets stay hidden")
    .option("--set", "only settings that are not at their default")
    .addHelpText("after", "\nExamples:\n  quarry config print\n  QUARRY_PORT=8000 quarry config print --set --json")
    .action((options: { readonly set?: boolean }, command: Command) => {
      const rows = describeConfig(context.readConfig());
      const shown = options.set === true ? rows.filter(({ origin }) => origin !== "default") : rows;
      openIo(context, command).print(shown, (output) =>
        renderTable(
          output,
          [
            { heading: "NAME", text: ({ name }) => name },
            { heading: "VALUE", text: ({ value }) => value ?? "-" },
            { heading: "ORIGIN", text: ({ origin }) => origin },
          ],
          shown,
        ),
      );
    });
}
