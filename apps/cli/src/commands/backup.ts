import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { Writable } from "node:stream";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "@quarry/base";
import type { Command } from "commander";
import { openReply } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import type { CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { formatBytes } from "../format.ts";

/** How long the server may gather before the next bytes come. */
const SILENCE_LIMIT_MS = 10 * 60 * 1000;

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
        await copy(context, io, reply, context.stdout.stream);
        return;
      }
      const bytes = await copyToFile(context, io, reply, file);
      io.print({ file, bytes }, () => `Wrote ${formatBytes(bytes)} to ${file}`);
    });
}

/** Written beside its place and moved there when whole: a file of that name is always a good backup. */
async function copyToFile(context: CliContext, io: CommandIo, reply: IncomingMessage, file: string): Promise<number> {
  const draft = `${file}.part`;
  try {
    const bytes = await copy(context, io, reply, createWriteStream(draft, { mode: 0o600, flush: true }));
    await rename(draft, file);
    return bytes;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function copy(context: CliContext, io: CommandIo, reply: IncomingMessage, sink: Writable): Promise<number> {
  let bytes = 0;
  const count = new Transform({
    transform: (part: Buffer, _encoding, done) => {
      bytes += part.length;
      io.sayInPlace(`Backing up… ${formatBytes(bytes)}`);
      done(null, part);
    },
  });
  try {
    await pipeline(reply, count, sink, { signal: context.signal, end: sink !== context.stdout.stream });
    return bytes;
  } catch (cause) {
    context.signal.throwIfAborted();
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new AppError(
      "upstream_failed",
      `the backup broke off after ${formatBytes(bytes)} (${reason}); run it again`,
      {
        cause,
      },
    );
  } finally {
    io.sayInPlace("");
  }
}
