import { Argument } from "commander";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { renderBashScript } from "../completion/bash-script.ts";
import { listCommandShapes } from "../completion/command-shape.ts";
import type { CommandShape } from "../completion/command-shape.ts";
import { renderFishScript } from "../completion/fish-script.ts";
import { renderZshScript } from "../completion/zsh-script.ts";

const SHELLS: Readonly<Record<string, (shapes: readonly CommandShape[]) => string>> = {
  bash: renderBashScript,
  zsh: renderZshScript,
  fish: renderFishScript,
};

/** `quarry completion SHELL`: prints a script made from the command tree. */
export function addCompletionCommand(program: Command, context: CliContext): void {
  program
    .command("completion")
    .description("print a script that completes quarry in your shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .addHelpText(
      "after",
      "\nExamples:\n  source <(quarry completion bash)\n  source <(quarry completion zsh)\n  quarry completion fish | source",
    )
    .action((shell: string, _options: unknown, command: Command) => {
      const script = SHELLS[shell]?.(listCommandShapes(program)) ?? "";
      openIo(context, command).print({ shell, script }, () => script);
    });
}
