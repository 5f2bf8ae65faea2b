import { statSync } from "node:fs";
import path from "node:path";
import { AppError } from "@quarry/base";
import { readDataDirectoryOwner } from "@quarry/store";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import type { EndWith } from "../exit-code.ts";
import { runProgram } from "../run-program.ts";

/** `quarry restore FILE`: fills an empty data directory from a backup. */
export function addRestoreCommand(program: Command, context: CliContext, endWith: EndWith): void {
  program
    .command("restore")
    .description("fill an empty data directory (QUARRY_DATA_DIR) from a backup")
    .argument("<file>", "what quarry backup wrote")
    .addHelpText("after", "\nExamples:\n  QUARRY_DATA_DIR=./restored quarry restore quarry.backup")
    .action(async (file: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const { dataDir, databaseUrl } = context.readConfig();
      requireFile(file);
      if ((await readDataDirectoryOwner(dataDir)) !== undefined) {
        throw new AppError(
          "conflict",
          `a server works on ${dataDir}; stop it with quarry stop, or choose another QUARRY_DATA_DIR`,
        );
      }
      io.say(`Restoring ${file} into ${databaseUrl === undefined ? dataDir : "the database of QUARRY_DATABASE_URL"}`);
      const code = await runProgram(context, {
        entry: context.serverEntry,
        args: ["--restore", path.resolve(context.cwd, file)],
        settings: {},
        printsTo: "stderr",
      });
      endWith(code);
      if (code === 0) io.print({ restored: true, dataDir }, () => `Restored. Start it with quarry serve.`);
    });
}

function requireFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new AppError("not_found", `${file} is not there`);
  if (!found.isFile())
    throw new AppError("invalid_request", `${file} is not a file; expected what quarry backup wrote`);
}
