import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** What is read while others wait: copying it takes less than a promise does. */
const SMALL_BYTES = 256 * 1024;

/** A file's bytes; a small file is read at once, without four ways to another thread and back. */
export async function readSmallFile(absolute: string): Promise<Buffer> {
  return readAtOnce(absolute) ?? (await readFile(absolute));
}

/** Undefined for a file that is not small, or changes its size while it is read. */
function readAtOnce(absolute: string): Buffer | undefined {
  const file = openSync(absolute, "r");
  try {
    const { size } = fstatSync(file);
    if (size > SMALL_BYTES) return undefined;
    const bytes = Buffer.allocUnsafe(size + 1); // one more tells that it has grown
    const read = readSync(file, bytes, 0, size + 1, 0);
    return read === size ? bytes.subarray(0, size) : undefined;
  } finally {
    closeSync(file);
  }
}
