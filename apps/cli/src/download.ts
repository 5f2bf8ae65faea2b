import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Transform } from "node:stream";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "@quarry/base";
import type { CliContext } from "./cli-context.ts";
import type { CommandIo } from "./command-io.ts";
import { formatBytes } from "./format.ts";

/** What is downloaded, for the sentences about it. */
export interface Download {
  /** As in "… broke off". */
  readonly name: string;
  /** As in "… 3 MB". */
  readonly doing: string;
}

/** Writes a reply to a file, beside its place and moved there when whole: a file of that name is always complete. */
export async function downloadToFile(
  context: CliContext,
  io: CommandIo,
  reply: IncomingMessage,
  wish: Download & { readonly file: string },
): Promise<number> {
  const draft = `${wish.file}.part`;
  try {
    const sink = createWriteStream(draft, { mode: 0o600, flush: true });
    const bytes = await download(context, io, reply, { ...wish, sink });
    await rename(draft, wish.file);
    return bytes;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** What fails when the disk or the place is at fault, not the server that sends. */
const OF_FILES: ReadonlySet<string> = new Set(["open", "write", "writev", "fsync", "close"]);

/** Writes a reply to a stream and tells how many bytes that were; stdout stays open. */
export async function download(
  context: CliContext,
  io: CommandIo,
  reply: IncomingMessage,
  { sink, name, doing }: Download & { readonly sink: Writable },
): Promise<number> {
  let bytes = 0;
  const count = new Transform({
    transform: (part: Buffer, _encoding, done) => {
      bytes += part.length;
      if (sink !== context.stdout.stream) io.sayInPlace(`${doing}… ${formatBytes(bytes)}`);
      done(null, part);
    },
  });
  try {
    await pipeline(reply, count, sink, { signal: context.signal, end: sink !== context.stdout.stream });
    return bytes;
  } catch (cause) {
    context.signal.throwIfAborted();
    const { code, syscall, path: file }: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error();
    if (sink !== context.stdout.stream && syscall !== undefined && OF_FILES.has(syscall)) {
      const where = file ?? "the file";
      throw new AppError("unavailable", `${where} cannot be written (${code ?? syscall}); name another place`, {
        cause,
      });
    }
    const reason = code ?? String(cause);
    throw new AppError("upstream_failed", `${name} broke off after ${formatBytes(bytes)} (${reason}); run it again`, {
      cause,
    });
  } finally {
    if (sink !== context.stdout.stream) io.sayInPlace("");
  }
}
