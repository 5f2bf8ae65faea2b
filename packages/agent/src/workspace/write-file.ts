import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fsync, openSync, renameSync, statSync, unlinkSync, write } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const flush = promisify(fsync);
const writeSome = promisify(write);

/** Writes a whole file or nothing of it: into a file beside it, then in its place. Mode bits are kept. Only what waits for the disk is waited for. */
export async function writeWholeFile(absolute: string, bytes: Buffer, mode?: number): Promise<void> {
  const kept = mode ?? (statSync(absolute, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o7777;
  const beside = path.join(path.dirname(absolute), `.${path.basename(absolute)}.${randomBytes(6).toString("hex")}.tmp`);
  const file = openSync(beside, "wx", kept);
  try {
    try {
      for (let at = 0; at < bytes.length;) at += (await writeSome(file, bytes, at, bytes.length - at, at)).bytesWritten;
      fchmodSync(file, kept); // the process's umask took bits away
      await flush(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, absolute);
  } catch (error) {
    removeQuietly(beside);
    throw error;
  }
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // the write's own error says more
  }
}
