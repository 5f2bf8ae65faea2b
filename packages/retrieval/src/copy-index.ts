import { AppError } from "@quarry/base";
import { cp, mkdir, readdir } from "node:fs/promises";

/**
 * Copies the files of an index into a directory that is empty or not there. The caller holds the locks: no file of a
 * table changes once it is written, so that what is there at one moment is a whole index.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  if ((await readdir(to)).length > 0) {
    throw new AppError("conflict", "the directory for the copy of the index is not empty; name a new one");
  }
  await cp(from, to, { recursive: true, errorOnExist: true, force: false });
}
