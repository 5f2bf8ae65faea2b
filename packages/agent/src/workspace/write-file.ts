import { randomBytes } from "node:crypto";
import { open, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";

/** Writes a whole file or nothing of it: into a file beside it, then in its place. Mode bits are kept. */
export async function writeWholeFile(absolute: string, bytes: Buffer, mode?: number): Promise<void> {
  const kept =
    mode ??
    (await stat(absolute).then(
      (found) => found.mode & 0o7777,
      () => 0o644, // a new file
    ));
  const beside = path.join(path.dirname(absolute), `.${path.basename(absolute)}.${randomBytes(6).toString("hex")}.tmp`);
  const file = await open(beside, "wx", kept);
  try {
    try {
      await file.writeFile(bytes);
      await file.chmod(kept); // the process's umask took bits away
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, absolute);
  } catch (error) {
    await unlink(beside).catch(() => undefined); // the write's own error says more
    throw error;
  }
}
