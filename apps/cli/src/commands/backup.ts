import { existsSync } from "node:fs";
import { AppError } from "@quarry/base";
import type { Command } from "commander";
import { openReply } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { download, downloadToFile } from "../download.ts";
import { formatBytes } from "../format.ts";

/** How long the server may gather before the next bytes come. */
const SILENCE_LIMIT_MS = 10 * 60 * 1000;
const BACKUP = { name: "the backup", doing: "Backing up" };

/** `quarry backup FILE`: a consistent copy of everything, taken while the server works. */
export function addBackupCommand(program: Command, context: CliContext): void {
  program
    .command("backup")
    .description("write a consistent copy of all data, while the server goes on working")
    .argument("<file>", "where to write it; - for stdout")
    .option("--force", "write over a file that is there")
    .addHelpText(
      "after",
      "\nExamples:\n  quarry backup quarry.backup\n  quarry backup - | ssh host 'cat > quarry.backup'",
    )
    .action(async (file: string, options: { readonly force?: boolean }, command: Command) => {
      const io = openIo(context, command);
      if (file === "-" && context.stdout.isTerminal) {
        throw new AppError("invalid_request", "a backup is not text: name a file, or send stdout to one");
      }
      if (file !== "-" && options.force !== true && existsSync(file)) {
        throw new AppError("invalid_request", `${file} is there already; name another file, or pass --force`);
      }
      const target = await connectServer(context, io);
      const request = { method: "GET", path: "/quarry/v1/backup", timeoutMs: SILENCE_LIMIT_MS } as const;
      const reply = await openReply(target, request, context.signal);
      if (file === "-") {
        await download(context, io, reply, { ...BACKUP, sink: context.stdout.stream });
        return;
      }
      const bytes = await downloadToFile(context, io, reply, { ...BACKUP, file });
      io.print({ file, bytes }, () => `Wrote ${formatBytes(bytes)} to ${file}`);
    });
}
